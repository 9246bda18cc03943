import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A proxy in front of a server. */
export interface DelayedWriteProxy {
  readonly url: string;
  close(): void;
}

/** Hands everything on at once, but for one write, the `nth`, which it holds back for a while. */
export async function startDelayedWriteProxy(
  target: string,
  nth: number,
  delayMs: number,
): Promise<DelayedWriteProxy> {
  let writes = 0;
  const forward = (req: IncomingMessage, res: ServerResponse): void => {
    const { method, headers } = req;
    const onward = request(new URL(req.url ?? '/', target), { method, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      res.flushHeaders();
      answer.pipe(res);
      res.once('close', () => answer.destroy());
    });
    onward.once('error', () => res.destroy());
    req.pipe(onward);
  };
  const server = createServer((req, res) => {
    if (req.url === '/write') writes += 1;
    if (req.url === '/write' && writes === nth) setTimeout(() => forward(req, res), delayMs);
    else forward(req, res);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
