/**
 * The floor of the loop, a process of its own: the same three exchanges on plain node:http, in memory, with
 * nothing but JSON.parse and JSON.stringify. It gives answers of the size that Unsay's have: the samples come
 * from the process that starts it.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Parsed answers of Unsay to copy the shape of. */
export interface Samples {
  readonly written: Readonly<Record<string, unknown>>;
  readonly read: { readonly result: { readonly contents: readonly [Readonly<Record<string, unknown>>] } };
}

interface Message {
  readonly id: number;
  readonly method?: string;
  readonly uri: string;
  readonly value: string;
  readonly params: {
    readonly uri: string;
    readonly notifications: { readonly resourceSubscriptions: string[] };
  };
}

process.once('message', (samples: Samples) => serve(samples));
process.once('disconnect', () => process.exit());
process.send?.('ready');

function serve({ written, read }: Samples): void {
  let value = '';
  let version = 0;
  let stream: ServerResponse | undefined;
  const [content] = read.result.contents;
  const meta = content._meta as Readonly<Record<string, unknown>>;

  function write(message: Message, res: ServerResponse): void {
    value = message.value;
    version += 1;
    send(res, 201, { ...written, uri: message.uri, version });
    const params = { uri: message.uri, _meta: { 'io.modelcontextprotocol/subscriptionId': 0 } };
    stream?.write(frame({ jsonrpc: '2.0', method: 'notifications/resources/updated', params }));
  }

  function listen({ params: { notifications } }: Message, res: ServerResponse): void {
    stream = res;
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const method = 'notifications/subscriptions/acknowledged';
    res.write(frame({ jsonrpc: '2.0', method, params: { notifications } }));
  }

  function reRead({ id, params: { uri } }: Message, res: ServerResponse): void {
    const contents = [
      { ...content, uri, text: value, _meta: { ...meta, 'unsay/version': version, 'unsay/value': value } },
    ];
    send(res, 200, { ...read, result: { ...read.result, contents }, id });
  }

  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.once('end', () => {
      const message = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Message;
      if (req.url === '/write') write(message, res);
      else if (message.method === 'subscriptions/listen') listen(message, res);
      else reRead(message, res);
    });
  });
  server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
}

function send(res: ServerResponse, status: number, body: unknown): void {
  const bytes = Buffer.from(JSON.stringify(body));
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length });
  res.end(bytes);
}

function frame(message: unknown): string {
  return `event: message\ndata: ${JSON.stringify(message)}\n\n`;
}
