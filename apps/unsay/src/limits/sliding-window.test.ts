import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addressGroup } from './address-group.ts';
import { createLimits, type LimitKind } from './limits.ts';
import { createSlidingWindow } from './sliding-window.ts';

const WINDOW = 1000;

describe('a sliding window', () => {
  it('never takes in more than the limit in any window, and refuses nothing that there is room for', () => {
    const steps = fc.array(fc.tuple(fc.nat(700), fc.constantFrom('a', 'b', 'c')), { maxLength: 200 });
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 5 }), (asked, limit) => {
        let now = 0;
        const window = createSlidingWindow({ limit, windowMs: WINDOW, monotonicNow: () => now });
        const accepted: [number, string][] = [];
        for (const [pause, key] of asked) {
          now += pause;
          const counting = accepted.filter(([at, of]) => of === key && at + WINDOW > now);
          const wait = window.take(key);
          if (wait === 0) accepted.push([now, key]);
          expect(wait === 0).toBe(counting.length < limit);
          // What it says is when the oldest that counts ends, and not a moment later.
          if (wait > 0) expect(now + wait).toBe((counting[0]?.[0] ?? Number.NaN) + WINDOW);
        }
      }),
    );
  });

  it('tells so many keys apart and has one limit for all the others, which nobody gets around', () => {
    let now = 0;
    const window = createSlidingWindow({ limit: 2, windowMs: WINDOW, monotonicNow: () => now, mostKeys: 3 });
    for (const key of ['a', 'b', 'c']) expect(window.take(key)).toBe(0);
    expect(['d', 'e', 'f', 'd'].map((key) => window.take(key) === 0)).toEqual([true, true, false, false]);
    // Those who were there keep what they had.
    expect(['a', 'a'].map((key) => window.take(key) === 0)).toEqual([true, false]);
    now += WINDOW;
    expect(window.take('d')).toBe(0);
  });

  it('has room for one more at the very moment at which the oldest ends, and for no second', () => {
    let now = 0;
    const window = createSlidingWindow({ limit: 2, windowMs: WINDOW, monotonicNow: () => now });
    const takeAt = (time: number): number => {
      now = time;
      return window.take('a');
    };
    expect([0, 500, 999, 1000, 1000].map(takeAt)).toEqual([0, 0, 1, 0, 500]);
  });

  it('forgets a key when nothing of it counts any more, and not before', () => {
    let now = 0;
    const window = createSlidingWindow({ limit: 1, windowMs: WINDOW, monotonicNow: () => now, mostKeys: 2 });
    window.take('a');
    now = 999;
    window.take('b');
    expect(window.take('a')).toBe(1);
    now = 1000;
    expect(window.take('a')).toBe(0);
    expect(window.take('b')).toBe(999);
  });
});

describe('limits', () => {
  const at = { now: 0 };
  const told: LimitKind[] = [];
  const open = () => {
    at.now = 0;
    told.length = 0;
    return createLimits({
      requestsPerSecond: 2,
      writesPerMinute: 3,
      failedAuthPerMinute: 1,
      monotonicNow: () => at.now,
      limited: (kind) => told.push(kind),
    });
  };
  const ann = { sub: 'ann', clientId: 'one' };

  it('are each principal’s own: neither another person’s nor another client’s of the same person', async () => {
    const limits = open();
    const asked = [limits.request(ann), limits.request(ann), limits.request(ann)];
    expect(await Promise.all(asked)).toEqual([null, null, 1]);
    for (const other of [
      { sub: 'ben', clientId: 'one' },
      { sub: 'ann', clientId: 'two' },
      { sub: 'ann","one', clientId: '' },
    ])
      expect(await limits.request(other)).toBeNull();
    expect(await limits.write(ann)).toBeNull();
    expect(told).toEqual(['requests']);
  });

  it('say in whole seconds how long to wait, after which there is room', async () => {
    const limits = open();
    for (const second of [0, 1, 2]) {
      at.now = second * 1000 + 1;
      expect(await limits.write(ann)).toBeNull();
    }
    at.now = 30_000;
    const wait = (await limits.write(ann)) ?? Number.NaN;
    expect(wait).toBe(31);
    at.now += wait * 1000;
    expect(await limits.write(ann)).toBeNull();
  });

  it('count failures by address', async () => {
    const limits = open();
    expect(await limits.failedAuthentication('192.0.2.1')).toBeNull();
    expect(await limits.failedAuthentication('::ffff:192.0.2.1')).toBe(60);
    expect(await limits.failedAuthentication('192.0.2.2')).toBeNull();
    expect(told).toEqual(['failed_authentication']);
  });
});

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:0:0:ffff:ffff:ffff:ffff', '2001:db8:0:0::/64'],
  ['2001:0DB8:0000:0001::', '2001:db8:0:1::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  [undefined, 'none'],
])('the address %s counts as %s', (address, group) => {
  expect(addressGroup(address)).toBe(group);
});
