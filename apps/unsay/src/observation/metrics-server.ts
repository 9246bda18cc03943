import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { MetricsPort } from '../settings/settings.ts';
import { SettingError } from '../settings/settings.ts';
import { METRICS_TYPE, type Metrics } from './metrics.ts';

/** The metrics on a port of their own. */
export interface MetricsServer {
  readonly port: number;
  close(): void;
}

const LOOPBACK = '127.0.0.1';
const MOST_CONNECTIONS = 16;

/**
 * Serves `GET /metrics` on loopback and nowhere else: the numbers tell what every principal does, so no route of
 * the public port has them, and no web page can read them, whatever name it makes point at this machine.
 *
 * @throws SettingError when a port that was asked for is taken.
 */
export async function serveMetrics(
  asked: MetricsPort,
  metrics: Pick<Metrics, 'text'>,
  onFault: (error: unknown) => void,
): Promise<MetricsServer> {
  const server = createServer({ headersTimeout: 5_000, requestTimeout: 5_000 }, (req, res) => {
    res.sendDate = false;
    answer(metrics, req, res).catch((error: unknown) => {
      onFault(error);
      if (res.headersSent) res.destroy();
      else send(res, 500, 'The numbers cannot be told.\n');
    });
  });
  server.maxConnections = MOST_CONNECTIONS;
  const port = await listenOn(server, asked);
  // Whoever looks at the numbers must not keep the process.
  server.unref();
  return {
    port,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * Refuses a port of the metrics that was asked for and is taken.
 *
 * @throws SettingError
 */
export async function refuseTakenMetricsPort(asked: MetricsPort): Promise<void> {
  const server = createServer();
  await listenOn(server, asked);
  await new Promise((resolve) => server.close(resolve));
}

async function listenOn(server: Server, { port, orFree }: MetricsPort): Promise<number> {
  try {
    return await listen(server, port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE' && orFree) return listen(server, 0);
    if (code === 'EADDRINUSE') {
      throw new SettingError(
        `Port ${port}, which UNSAY_METRICS_PORT asks for, is in use. Choose another; 0 takes a free one, none does without.`,
      );
    }
    if (code === 'EACCES')
      throw new SettingError(
        `Port ${port} may not be opened. Choose one above 1023 with UNSAY_METRICS_PORT.`,
      );
    throw error;
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, LOOPBACK, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function answer(
  metrics: Pick<Metrics, 'text'>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const hosts = req.headersDistinct.host ?? [];
  // A name that any site can point at this machine (DNS rebinding) opens nothing.
  if (hosts.length !== 1 || !/^(localhost|127\.0\.0\.1)(:\d{1,5})?$/i.test(hosts[0] ?? ''))
    return send(res, 403, 'The Host must be localhost or 127.0.0.1.\n');
  if (req.headers.origin !== undefined) return send(res, 403, 'No web page may read this.\n');
  if (req.url !== '/metrics') return send(res, 404, 'There is only /metrics.\n');
  if (req.method !== 'GET') return send(res, 405, 'Send GET.\n', { allow: 'GET' });
  send(res, 200, await metrics.text(), { 'content-type': METRICS_TYPE });
}

function send(
  res: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  res.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'same-origin',
    ...headers,
  });
  res.end(text);
}
