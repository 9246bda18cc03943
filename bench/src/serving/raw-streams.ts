/**
 * The floor of streams, a process of its own on plain node:http: it keeps event streams open, tells all of them of a
 * write after it was answered, answers reads of a given size, and gives one prepared buffer. `argv[2]` is the answer of
 * a read as JSON, `argv[3]` a file whose bytes `/buffer` gives.
 */
import { readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = JSON.parse(process.argv[2] ?? '{}') as object;
const file = process.argv[3];
const buffer = file === undefined ? Buffer.alloc(0) : readFileSync(file);
const streams = new Set<ServerResponse>();
const FRAME = Buffer.from(
  'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"care://ray/wound","_meta":{"io.modelcontextprotocol/subscriptionId":1}}}\n\n',
);

function listen(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  res.write(
    'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged"}\n\n',
  );
  streams.add(res);
  res.once('close', () => streams.delete(res));
}

function send(res: ServerResponse, status: number, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  res.end(bytes);
}

// The load's connections are idle while the other side has its turn.
const server = createServer({ keepAliveTimeout: 300_000 }, (req, res) => {
  const chunks: Buffer[] = [];
  req.on('data', (chunk: Buffer) => chunks.push(chunk));
  req.once('end', () => {
    if (req.url === '/buffer') {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(buffer);
      return;
    }
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
      id?: number;
      method?: string;
    };
    if (method === 'subscriptions/listen') return listen(res);
    if (method !== undefined) return send(res, 200, { ...answer, id });
    send(res, 201, { version: 1 });
    for (const stream of streams) stream.write(FRAME);
  });
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
