import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';
import type { Press } from '../press.ts';

/** A server that answers. */
export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves Press over HTTP. Rejects when the address cannot be listened on. */
export async function serveOnNode(
  press: Press,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  const server = createServer({ headersTimeout: 15_000, requestTimeout: 60_000 }, (req, res) => {
    answer(press, req, res).catch(() => res.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: taken } = server.address() as AddressInfo;
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`, close: () => close(server) };
}

async function answer(press: Press, req: IncomingMessage, res: ServerResponse): Promise<void> {
  const request = requestOf(req);
  if (request === null) {
    res.writeHead(400, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' });
    res.end('The request is not one of HTTP: its target or its Host header cannot be read.\n');
    return;
  }
  const response = await press(request);
  const body = Buffer.from(await response.arrayBuffer());
  // What was not read of a body must not be taken for the next request.
  if (!req.complete) res.setHeader('connection', 'close');
  res.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function requestOf(req: IncomingMessage): Request | null {
  const { host = '' } = req.headers;
  const { url: target = '', method = 'GET' } = req;
  const isPlain = /^[\w.-]+(?::\d{1,5})?$/.test(host) && /^\/(?![/\\])/.test(target);
  const address = `http://${host}${target}`;
  if (!isPlain || req.headersDistinct.host?.length !== 1 || !URL.canParse(address)) return null;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(req.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    const body = hasBody
      ? { body: Readable.toWeb(req) as ReadableStream<Uint8Array>, duplex: 'half' as const }
      : {};
    return new Request(address, { method, headers, ...body });
  } catch {
    // Methods that the web knows and does not send, like TRACE.
    return null;
  }
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
