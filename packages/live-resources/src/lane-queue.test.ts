import { expect, it } from 'vitest';
import type { Subject } from './fact-uri.ts';
import { createLaneQueue } from './lane-queue.ts';
import type { Audience } from './partition.ts';

const lane = (subject: string) => ({ subject: subject as Subject, audience: 'user' as Audience });

it('runs the work of one lane in order, one at a time, and another lane beside it', async () => {
  const queue = createLaneQueue();
  const log: string[] = [];
  const gates = new Map<string, () => void>();
  const work = (name: string) => async () => {
    log.push(`${name} begins`);
    await new Promise<void>((resolve) => gates.set(name, resolve));
    log.push(`${name} ends`);
    return name;
  };
  const [first, second, other] = [
    queue.run(lane('ada'), work('first')),
    queue.run(lane('ada'), work('second')),
    queue.run(lane('bo'), work('other')),
  ];
  await Promise.resolve();
  expect(log).toEqual(['first begins', 'other begins']);
  gates.get('other')?.();
  expect(await other).toBe('other');
  expect(log).not.toContain('second begins');
  gates.get('first')?.();
  expect(await first).toBe('first');
  await expect.poll(() => log).toContain('second begins');
  gates.get('second')?.();
  expect(await second).toBe('second');
});

it('goes on after work that failed', async () => {
  const queue = createLaneQueue();
  const failed = queue.run(lane('ada'), () => Promise.reject(new Error('no')));
  const next = queue.run(lane('ada'), () => Promise.resolve('yes'));
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe('yes');
});

it('lets nobody overtake who came while the first of two was already done', async () => {
  const queue = createLaneQueue();
  const log: string[] = [];
  const [begun, gate] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = queue.run(lane('ada'), async () => log.push('first'));
  const second = queue.run(lane('ada'), async () => {
    begun.resolve();
    await gate.promise;
    log.push('second');
  });
  await Promise.all([first, begun.promise]);
  const third = queue.run(lane('ada'), async () => log.push('third'));
  // Whatever could run now has run by the next turn.
  await new Promise((resolve) => setImmediate(resolve));
  gate.resolve();
  await Promise.all([second, third]);
  expect(log).toEqual(['first', 'second', 'third']);
});
