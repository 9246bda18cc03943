import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERAS } from '../harness/era-client.ts';
import { followRaw } from '../harness/raw-mcp.ts';
import {
  type RunningServer,
  removeFolder,
  startServer,
  startToItsEnd,
  temporaryFolder,
  testEnvironment,
} from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';
import { metricsAddress, readMetrics } from './metrics-port.ts';

const URI = 'care://ray/wound';
const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});
afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

describe('the numbers of a server', () => {
  it.each(ERAS)('count a %s stream, what it was told, and that it is gone', async (era) => {
    const token = await server.mint('care.read.user');
    const before = await readMetrics(server);
    const stream = await followRaw(era, server.url, token, [URI]);
    const open = await readMetrics(server);
    await publish(server.url, URI, `Said to a ${era} stream.`);
    await stream.next();
    const told = await readMetrics(server);
    const of = (numbers: ReadonlyMap<string, number>, name: string): number =>
      numbers.get(name) ?? Number.NaN;
    expect(of(open, 'unsay_streams_open') - of(before, 'unsay_streams_open')).toBe(1);
    expect(of(told, 'unsay_frames_sent_total')).toBeGreaterThan(of(open, 'unsay_frames_sent_total'));
    expect(of(told, 'unsay_journal_lag_entries')).toBe(0);
    const method = era === 'modern' ? 'subscriptions/listen' : 'resources/subscribe';
    expect(of(told, `unsay_mcp_requests_total{era="${era}",method="${method}",status="200"}`)).toBe(1);
    stream.close();
  });

  it.each([
    'unsay_frames_withheld_total',
    'unsay_frames_coalesced_total',
    'unsay_readers_cut_off_total',
    'unsay_streams_expired_total',
    'unsay_streams_refused_total',
    'unsay_sessions',
    'unsay_faults_total',
    'process_resident_memory_bytes',
    'nodejs_eventloop_lag_p99_seconds',
  ])('have %s', async (name) => {
    expect((await readMetrics(server)).get(name)).toBeGreaterThanOrEqual(0);
  });

  it('are not on the port that others reach', async () => {
    expect((await fetch(`${server.url}/metrics`)).status).toBe(404);
  });
});

describe('the port of the metrics', () => {
  it('may be another for each of two servers on one machine', async () => {
    const other = temporaryFolder();
    const second = await startServer(other);
    expect(metricsAddress(second)).not.toBe(metricsAddress(server));
    expect(await second.stop()).toBe(0);
    removeFolder(other);
  });

  it('that was asked for and is taken refuses the start, before there is a folder', async () => {
    const { port } = new URL(metricsAddress(server));
    const refused = await startToItsEnd(testEnvironment(`${data}/none`, { UNSAY_METRICS_PORT: port }));
    expect(refused).toEqual({
      code: 1,
      stdout: '',
      stderr: `Port ${port}, which UNSAY_METRICS_PORT asks for, is in use. Choose another; 0 takes a free one, none does without.\n`,
    });
    expect(existsSync(`${data}/none`)).toBe(false);
  });

  it.each([{ UNSAY_METRICS_PORT: 'many' }, { UNSAY_METRICS_PORT: '65536' }, { UNSAY_LOG: 'everything' }])(
    'refuses %j with one sentence',
    async (settings) => {
      const [name = ''] = Object.keys(settings);
      const { code, stderr } = await startToItsEnd(
        testEnvironment(`${data}/none`, settings as Record<string, string>),
      );
      expect(code).toBe(1);
      expect(stderr).toMatch(new RegExp(`^${name} must be [^\\n]+\\.\\n$`));
    },
  );
});

describe('a server that is stopped', () => {
  it('opens no metrics where none are wanted; ends each stream with a result, and exits with 0', async () => {
    const folder = temporaryFolder();
    const stopping = await startServer(folder, { UNSAY_METRICS_PORT: 'none' });
    expect(stopping.lines.join('\n')).toContain('no metrics');
    const token = await stopping.mint('care.read.user');
    const streams = await Promise.all(ERAS.map((era) => followRaw(era, stopping.url, token, [URI])));
    // A request that has begun is answered: this one is only half sent when the stop begins.
    const slow = request(`${stopping.url}/write`, {
      method: 'POST',
      agent: false,
      headers: { 'content-type': 'application/json', 'content-length': '2', expect: '100-continue' },
    });
    slow.flushHeaders();
    await once(slow, 'continue');
    slow.write('{');
    const exit = stopping.stop();
    const [modern] = streams;
    const last: string[] = [];
    for (let event = await modern?.next(); event !== undefined; event = await modern?.next())
      last.push(event);
    expect(last.at(-1)).toMatch(/"result":\{/);
    expect(await Promise.all(streams.map((stream) => stream.over))).toEqual(['ended', 'ended']);
    slow.end('}');
    const [answer] = (await once(slow, 'response')) as [{ statusCode: number }];
    expect(answer.statusCode).toBe(401);
    slow.destroy();
    expect(await exit).toBe(0);
    removeFolder(folder);
  });
});
