import { expect, it } from 'vitest';
import { FanOut } from './fan-out.ts';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A fan-out on a clock that goes on by so much with each target. */
function fanOut(limits: { size?: number; ms?: number; holdMs?: number; each?: number }) {
  const clock = { ms: 0 };
  const told: number[] = [];
  const fan = new FanOut<number>({
    size: limits.size ?? 1_000,
    ms: limits.ms ?? 1_000,
    holdMs: limits.holdMs ?? 1_000,
    monotonicNow: () => clock.ms,
  });
  const send = (count: number): void => {
    fan.send(`${count}`, Array(count).keys(), (target) => {
      told.push(target);
      clock.ms += limits.each ?? 0;
    });
  };
  return { clock, told, fan, send };
}

it('gives the event loop a turn when the time of a slice is over', async () => {
  const { told, send } = fanOut({ ms: 10, each: 0.1 });
  send(1_000);
  const after: number[] = [];
  while (told.length < 1_000) {
    after.push(told.length);
    await turn();
  }
  // The clock is looked at after each 64, so a slice of 100 is one of 128.
  expect(after.slice(0, 4)).toEqual([64, 128, 256, 384]);
});

it('tells everybody in one turn when the time suffices', async () => {
  const { told, send } = fanOut({});
  send(1_000);
  await turn();
  expect(told).toHaveLength(1_000);
});

it('has those wait who ask for the end of it, and nobody when nothing is under way', async () => {
  const { told, fan, send } = fanOut({ size: 10 });
  await fan.done();
  send(100);
  await fan.done();
  expect(told).toHaveLength(100);
  expect(fan.isBusy).toBe(false);
});

it('has nobody wait for longer than it may, however much there is to tell', async () => {
  const { told, fan, send } = fanOut({ size: 10, holdMs: 50, each: 1 });
  send(1_000);
  await fan.done();
  expect(told).toHaveLength(60);
  const before = told.length;
  await fan.done();
  expect(told).toHaveLength(before);
  expect(fan.isBusy).toBe(true);
});

it('lets those who waited go on a few at a time, all of them, in order', async () => {
  const { fan, send } = fanOut({ size: 10 });
  send(20);
  const gone: number[] = [];
  for (const name of Array(200).keys()) void fan.done().then(() => gone.push(name));
  const after: number[] = [];
  while (gone.length < 200) {
    await turn();
    after.push(gone.length);
  }
  expect(gone).toEqual([...Array(200).keys()]);
  expect(Math.max(...after.map((count, index) => count - (after[index - 1] ?? 0)))).toBeLessThanOrEqual(64);
});
