import { once } from 'node:events';
import { type IncomingMessage, type RequestOptions, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SettingError } from '../settings/settings.ts';
import { createMetrics } from './metrics.ts';
import { type MetricsServer, serveMetrics } from './metrics-server.ts';

const metrics = createMetrics();
const faults: unknown[] = [];
let server: MetricsServer;

const serve = (port: number, orFree: boolean): Promise<MetricsServer> =>
  serveMetrics({ port, orFree }, metrics, (error) => faults.push(error));

async function ask(
  options: RequestOptions,
): Promise<{ status: number | undefined; body: string; headers: IncomingMessage['headers'] }> {
  const sent = request({ host: '127.0.0.1', port: server.port, path: '/metrics', agent: false, ...options });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, body: await text(response), headers: response.headers };
}

beforeAll(async () => {
  server = await serve(0, false);
});
afterAll(() => server.close());

describe('the port of the metrics', () => {
  it('gives the Prometheus text format', async () => {
    metrics.fault();
    const { status, body, headers } = await ask({});
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(body).toContain('# TYPE unsay_faults_total counter\nunsay_faults_total 1\n');
  });

  it.each(['localhost', '127.0.0.1', 'LOCALHOST:9464', '127.0.0.1:1'])('answers to %s', async (host) => {
    expect((await ask({ headers: { host } })).status).toBe(200);
  });

  it.each(['evil.example', 'localhost.evil.example', '127.0.0.1@evil.example', 'localhost:x'])(
    'opens nothing to a page that made “%s” point here',
    async (host) => {
      const { status, body } = await ask({ headers: { host } });
      expect([status, body.includes('unsay_')]).toEqual([403, false]);
    },
  );

  it('tells a web page nothing, and never says that one may read it', async () => {
    const { status, headers, body } = await ask({ headers: { origin: `http://localhost:${server.port}` } });
    expect([status, body.includes('unsay_')]).toEqual([403, false]);
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('refuses %s', async (method) => {
    expect((await ask({ method })).status).toBe(405);
  });

  it.each(['/', '/metrics/', '/metrics?x=1', '/healthz'])('has nothing at %s', async (path) => {
    expect((await ask({ path })).status).toBe(404);
  });

  it('is open on loopback alone', async () => {
    const sent = request({ host: '127.0.0.2', port: server.port, path: '/metrics', agent: false });
    sent.end();
    const [error] = (await once(sent, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNREFUSED');
  });
});

describe('a port that is taken', () => {
  it('is refused with a sentence where it was asked for', async () => {
    await expect(serve(server.port, false)).rejects.toThrow(SettingError);
    await expect(serve(server.port, false)).rejects.toThrow(`Port ${server.port}, which UNSAY_METRICS_PORT`);
  });

  it('gives way to a free one where nobody asked for it', async () => {
    const other = await serve(server.port, true);
    expect(other.port).not.toBe(server.port);
    other.close();
  });
});

it('a failure while counting is a fault, and no answer', async () => {
  const failing = await serveMetrics(
    { port: 0, orFree: false },
    { text: () => Promise.reject(new Error('zebra')) },
    (error) => faults.push(error),
  );
  const answer = await fetch(`http://127.0.0.1:${failing.port}/metrics`);
  expect([answer.status, await answer.text()]).toEqual([500, 'The numbers cannot be told.\n']);
  expect(faults).toHaveLength(1);
  failing.close();
});
