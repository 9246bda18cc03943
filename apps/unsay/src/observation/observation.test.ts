import { type AuditEntry, instant } from '@unsay/live-resources';
import { beforeEach, describe, expect, it } from 'vitest';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { createObservation, type Observation } from './observation.ts';

const NOW = Date.parse('2026-12-01T09:00:00Z');
const URI = 'care://zebra/quarrel';
const ENTRY: AuditEntry = {
  at: instant(NOW),
  actor: 'marmalade',
  uri: URI as AuditEntry['uri'],
  outcome: 'refused',
  reason: 'replayed',
  via: 'hmac',
  count: 3,
};

let elapsed = 0;
let lines: string[] = [];
beforeEach(() => {
  elapsed = 0;
  lines = [];
});

function observe(level: 'faults' | 'requests'): Observation {
  const monotonicNow = (): number => elapsed;
  const secret = new Uint8Array(32).fill(3);
  return createObservation({
    clock: { now: () => NOW },
    monotonicNow,
    secret,
    level,
    output: (line) => lines.push(line),
  });
}

const trail = (outcome: 'recorded' | 'replayed'): AuditTrail => ({
  refused: async () => outcome,
  accepted: () => undefined,
});

describe('what an operator learns', () => {
  it('of a fault: that there was one, and not what it says', async () => {
    const observation = observe('faults');
    observation.onFault(new Error('zebra'));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(
      /^\{"at":"2026-12-01T09:00:00(\.000)?Z","event":"fault","error":"Error","stack":\[/,
    );
    expect(lines[0]).not.toContain('zebra');
    expect(await observation.metrics.text()).toContain('unsay_faults_total 1\n');
  });

  it('of a message: era, method, status and time, and the URI as a keyed hash', async () => {
    const observation = observe('requests');
    await observation.message({ method: 'resources/read', uri: URI, traceparent: null }, async () => {
      elapsed += 1.5;
      return { era: 'legacy', status: 200 };
    });
    expect(JSON.parse(lines.join(''))).toEqual({
      at: instant(NOW),
      event: 'message',
      era: 'legacy',
      method: 'resources/read',
      status: 200,
      ms: 1.5,
      uri: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
    expect(await observation.metrics.text()).toContain(
      'unsay_mcp_request_seconds_sum{era="legacy",method="resources/read"} 0.0015\n',
    );
  });

  it('of an attempt to write: what its row says, but for who and what', async () => {
    const observation = observe('requests');
    await observation.trail(trail('recorded')).refused(ENTRY, null);
    expect(lines.join('')).toMatch(
      /"event":"write","outcome":"refused","reason":"replayed","via":"hmac","count":3/,
    );
    expect(lines.join('')).not.toMatch(/zebra|quarrel|marmalade/);
    const text = await observation.metrics.text();
    expect(text).toContain('unsay_writes_total{outcome="refused",reason="replayed",via="hmac"} 3\n');
  });

  it('of a signature that was used before: one attempt, when its row is recorded', async () => {
    const observation = observe('requests');
    expect(await observation.trail(trail('replayed')).refused(ENTRY, null)).toBe('replayed');
    expect(lines).toEqual([]);
  });

  it('of requests: nothing in the log until it is asked for, and counts at any time', async () => {
    const observation = observe('faults');
    observation.request()({ route: '/mcp', method: 'POST', status: 200 });
    observation.request()({ route: 'none', method: 'ZEBRA', status: 404 });
    observation.log.write({ event: 'stopping' });
    expect(lines).toEqual([]);
    const text = await observation.metrics.text();
    expect(text).toContain('unsay_http_requests_total{route="/mcp",method="POST",status="200"} 1\n');
    expect(text).toContain('unsay_http_requests_total{route="none",method="other",status="404"} 1\n');
  });
});

it('a log that nobody reads ends nothing', () => {
  const observation = createObservation({
    clock: { now: () => NOW },
    monotonicNow: () => 0,
    secret: new Uint8Array(32),
    output: () => {
      throw new Error('EPIPE');
    },
  });
  expect(() => observation.onFault(new Error('x'))).not.toThrow();
});
