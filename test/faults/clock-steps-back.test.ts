import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { READ_BOTH } from '../contract/demonstration.ts';
import { ClockFile } from '../harness/clock-file.ts';
import { followRaw } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import {
  type Published,
  publish,
  type SignedWrite,
  send,
  signed,
  writeBody,
} from '../harness/signed-write.ts';

const HOUR = 3_600_000;
const data = temporaryFolder();
const clock = new ClockFile(Date.UTC(2031, 2, 3, 12));
let server: RunningServer;

async function start(): Promise<void> {
  server = await startServer(data, { UNSAY_CLOCK: clock.setting });
}

beforeAll(start);

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
  clock.remove();
});

async function outcomeOf(write: SignedWrite): Promise<string> {
  const answer = await send(server.url, write);
  const { code = 'published' } = (await answer.json()) as { code?: string };
  return `${answer.status} ${code}`;
}

const signedNow = (value: string): SignedWrite =>
  signed(writeBody('care://mia/diet', value), { at: clock.now });

describe('a clock that steps back', () => {
  it('takes no lane back with it, in one process and over a kill', async () => {
    const began = clock.now;
    const times: string[] = [];
    const write = async (uri: string): Promise<void> => {
      times.push((await publish(server.url, uri, `Sentence ${times.length}.`, clock.now)).writtenAt);
    };
    await write('care://ray/wound');
    for (const step of [-1, -HOUR, -24 * HOUR]) {
      clock.move(step);
      await write('care://ray/wound');
      await write('care://ray/gait');
    }
    await server.kill();
    await start();
    await write('care://ray/wound');
    expect(new Set(times)).toEqual(new Set([new Date(began).toISOString()]));
    clock.move(began + 1000 - clock.now);
    await write('care://ray/gait');
    expect(times.at(-1)).toBe(new Date(began + 1000).toISOString());
    expect(await server.operate('verify')).toMatchObject({ intact: true });
    expect(await server.operate('audit')).toMatchObject({ intact: true });
  });

  it('takes the window of signatures with it', async () => {
    const early = signedNow('Signed at noon.');
    clock.move(-301_000);
    expect(await outcomeOf(early)).toBe('401 stale_timestamp');
    clock.move(1000);
    expect(await outcomeOf(early)).toBe('201 published');
    expect(await outcomeOf(signedNow('Signed before noon.'))).toBe('201 published');
    clock.move(300_000);
    expect(await outcomeOf(early)).toBe('401 replayed');
  });

  it.each([
    ['within its window', 60_000],
    ['after its window', 10 * 60_000],
    ['after it was forgotten', 50 * HOUR],
  ])('makes no used signature good again %s, in one process and over a kill', async (when, ahead) => {
    const used = signedNow(`Said once ${when}.`);
    expect(await outcomeOf(used)).toBe('201 published');
    clock.move(ahead);
    // Each of these lets go of some signatures whose time is long over.
    for (let count = 0; count < 3; count += 1) {
      expect(await outcomeOf(signedNow(`Said later ${when}, ${count}.`))).toBe('201 published');
    }
    clock.move(-ahead);
    expect(await outcomeOf(used)).toBe('401 replayed');
    await server.kill();
    await start();
    expect(await outcomeOf(used)).toBe('401 replayed');
    clock.move(ahead);
  });

  it('answers a retry as before, whichever way the clock went', async () => {
    const body = writeBody('care://mia/diet', 'Said once, asked often.');
    const request = async (): Promise<Published> => {
      const { headers } = signed(body, { at: clock.now });
      const answer = await send(server.url, { body, headers: { ...headers, 'idempotency-key': 'steps' } });
      expect(answer.status).toBe(201);
      return (await answer.json()) as Published;
    };
    const first = await request();
    for (const step of [HOUR, -2 * HOUR, 1000]) {
      clock.move(step);
      expect(await request()).toEqual(first);
    }
    clock.move(HOUR);
  });

  it('takes the life of tokens with it, and gives none back that was revoked', async () => {
    const [token, revoked] = [
      await server.mint(READ_BOTH, { ttl: 60 }),
      await server.mint(READ_BOTH, { ttl: 60 }),
    ];
    await server.operate('token-revoke', { token: revoked });
    const statusOf = async (bearer: string): Promise<number> =>
      (await fetch(`${server.url}/verify`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    const statuses = async (): Promise<number[]> => [await statusOf(token), await statusOf(revoked)];
    expect(await statuses()).toEqual([200, 401]);
    clock.move(2 * 60_000);
    expect(await statuses()).toEqual([401, 401]);
    clock.move(-2 * 60_000);
    expect(await statuses()).toEqual([200, 401]);
    // A token of the future is none yet.
    clock.move(-HOUR);
    expect(await statuses()).toEqual([401, 401]);
    clock.move(HOUR);
  });

  it('leaves a stream open, which hears on', async () => {
    const token = await server.mint(READ_BOTH, { subject: '*' });
    const stream = await followRaw('modern', server.url, token, ['care://mia/diet']);
    const updated = { method: 'notifications/resources/updated', params: { uri: 'care://mia/diet' } };
    for (const step of [2000, -1000]) {
      clock.move(step);
      expect(await outcomeOf(signedNow(`Heard after ${step}.`))).toBe('201 published');
      expect(await stream.message()).toMatchObject(updated);
    }
    stream.close();
  });
});
