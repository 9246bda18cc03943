import { afterAll, beforeAll, expect, it } from 'vitest';
import { openMemory } from '../../testing/non-interference/engine.ts';
import { PUBLIC_URL, startWorld, type World } from '../../testing/non-interference/world.ts';

const STRANGERS = 20;

let world: World;
/** How many chains were replayed from the beginning. */
let replays = 0;
/** Replays wait until so many callers were looked at. */
let awaited = 0;
let goOn = (): void => {};
let gate = Promise.resolve();

function holdUntil(callers: number): void {
  replays = 0;
  awaited = callers;
  gate = new Promise((resolve) => {
    goOn = resolve;
  });
}

beforeAll(async () => {
  world = await startWorld(openMemory, {
    name: 'replays are counted, and wait for callers',
    context: (context) => {
      const { live, verifier } = context;
      async function* verify(...asked: Parameters<typeof live.verify>): ReturnType<typeof live.verify> {
        replays += 1;
        await gate;
        yield* live.verify(...asked);
      }
      const counted: typeof verifier = {
        ...verifier,
        async verify(...presented) {
          const outcome = await verifier.verify(...presented);
          awaited -= 1;
          // In the next turn, when this caller has asked too.
          if (awaited === 0) setImmediate(goOn);
          return outcome;
        },
      };
      return { ...context, live: { ...live, verify }, verifier: counted };
    },
  });
});

afterAll(() => world.close());

const ask = (path: string, authorization?: string) =>
  world.wire.request({ method: 'GET', path, headers: authorization === undefined ? {} : { authorization } });

const statusOf = (response: string): number => Number(response.split(' ')[1]);

it('strangers who ask for the same chains at once share one replay, and the next one asks anew', async () => {
  holdUntil(STRANGERS);
  const answers = await Promise.all(Array.from({ length: STRANGERS }, () => ask('/verify?subject=ray')));
  expect(new Set(answers.map(statusOf))).toEqual(new Set([200]));
  expect(replays).toBe(1);
  await ask('/verify?subject=ray');
  expect(replays).toBe(2);
});

it('whoever is known has a replay of their own', async () => {
  holdUntil(2);
  const grant = { sub: 's', clientId: 'c', scopes: ['care.read.user'], subjects: ['ray'], ttlSeconds: 3600 };
  const token = await world.mint(grant);
  await Promise.all([1, 2].map(() => ask('/verify?subject=ray', `Bearer ${token}`)));
  expect(replays).toBe(2);
});

it('a page may send what a passkey needs and no more, before anybody looks at what it is about', async () => {
  const send = (bytes: number) =>
    world.wire.request({
      method: 'POST',
      path: '/interaction/none/allow',
      headers: { origin: PUBLIC_URL, 'content-type': 'application/json' },
      body: JSON.stringify({ a: 'x'.repeat(bytes) }),
    });
  expect(statusOf(await send(60_000))).toBe(404);
  expect(statusOf(await send(70_000))).toBe(413);
});
