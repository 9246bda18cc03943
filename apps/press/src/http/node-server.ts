import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
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
  res.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': body.length });
  res.end(req.method === 'HEAD' ? undefined : body);
}

function requestOf(req: IncomingMessage): Request | null {
  const { host = '' } = req.headers;
  const { url: target = '', method = 'GET' } = req;
  const isPlain = /^(?:[\w.-]+|\[[\da-f:]+\])(?::\d{1,5})?$/i.test(host) && /^\/(?![/\\])/.test(target);
  const address = `http://${host}${target}`;
  if (!isPlain || req.headersDistinct.host?.length !== 1 || !URL.canParse(address)) return null;
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(req.headersDistinct)) {
    for (const value of values) headers.append(name, value);
  }
  const hasBody = method !== 'GET' && method !== 'HEAD';
  try {
    const body = hasBody ? { body: bodyOf(req), duplex: 'half' as const } : {};
    return new Request(address, { method, headers, ...body });
  } catch {
    // Methods that the web knows and does not send, like TRACE.
    return null;
  }
}

/**
 * The body as a stream that is read only when it is asked for. What nobody wants of it is let through and thrown away,
 * so that a sender who is told that it is too much can finish sending, and reads the answer.
 */
function bodyOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        req.pause();
        req.on('data', (chunk: Buffer) => {
          controller.enqueue(new Uint8Array(chunk));
          req.pause();
        });
        req.once('end', () => controller.close());
        req.once('error', (error) => controller.error(error));
      },
      pull: () => void req.resume(),
      cancel() {
        req.removeAllListeners('data').removeAllListeners('end').resume();
      },
    },
    { highWaterMark: 0 },
  );
}

// A request that has begun is answered; one that does not end is not waited for.
const PATIENCE_MS = 3000;

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const cut = setTimeout(() => server.closeAllConnections(), PATIENCE_MS);
    server.close(() => {
      clearTimeout(cut);
      resolve();
    });
    server.closeIdleConnections();
  });
}
