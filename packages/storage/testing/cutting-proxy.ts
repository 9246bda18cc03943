import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Stands between a client and a server, and can fail as a network does. */
export interface CuttingProxy {
  /** A URL through it instead of past it. */
  through(url: string): string;
  /**
   * What happens to each connection from now on, those that are open included.
   *
   * - `pass`: nothing.
   * - `cut at the answer`: the server gets what is sent, and when it answers the connection is cut.
   * - `leave hanging`: what is sent does not arrive; the client's side is cut, and the server is not told.
   * - `refuse`: none is let in.
   */
  mode: 'pass' | 'cut at the answer' | 'leave hanging' | 'refuse';
  close(): Promise<void>;
}

/** Lets a proxy listen. */
export async function startCuttingProxy(target: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    if (proxy.mode === 'refuse') return client.destroy();
    const upstream = connect(Number(port), hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    }
    client.on('data', (bytes) => {
      if (proxy.mode === 'leave hanging') client.destroy();
      else upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (proxy.mode === 'cut at the answer') client.destroy();
      else client.write(bytes);
    });
    client.on('close', () => {
      if (proxy.mode !== 'leave hanging') upstream.destroy();
    });
    upstream.on('close', () => client.destroy());
    return undefined;
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a TCP server has no port');
  const proxy: CuttingProxy = {
    mode: 'pass',
    through(url) {
      const changed = new URL(url);
      changed.port = String(address.port);
      return changed.href;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}
