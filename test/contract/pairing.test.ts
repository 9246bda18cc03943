import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import { connect } from '../harness/era-client.ts';
import { pair, pairingCode } from '../harness/pairing.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';

const MINUTE = 60_000;
const data = temporaryFolder();
const clock = new ClockFile();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data, { UNSAY_CLOCK: clock.setting });
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
  clock.remove();
});

describe('a pairing code', () => {
  it.each([
    ['landing', 'care.read.user'],
    ['device', 'care.read.user care.speak'],
    ['console', 'care.read.user care.read.assistant care.write care.audit'],
  ] as const)('of the %s page gives what that page needs, once', async (page, scope) => {
    const code = server.code(page);
    expect(Buffer.from(code, 'base64url')).toHaveLength(16);
    const answer = await pair(server, code);
    const paired = (await answer.json()) as { access_token: string };
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(paired).toMatchObject({ expires_in: 3600, scope });
    const client = await connect('modern', server.url, paired.access_token);
    const { resources } = await client.call('resources/list');
    expect(resources).toHaveLength(3);
    await client.close();
    const again = await pair(server, code);
    expect([again.status, await again.json()]).toEqual([
      401,
      expect.objectContaining({ code: 'bad_signature' }),
    ]);
  });

  it('that was never given is refused in the same words', async () => {
    const used = await pairingCode(server, 'device');
    await pair(server, used);
    const answers = await Promise.all(
      [used, 'A'.repeat(22), '', 'x'].map(async (code) => (await pair(server, code)).text()),
    );
    expect(new Set(answers).size).toBe(1);
    expect(answers[0]).toContain('“npm run --silent unsay -- pair”');
  });

  it.each([7, null, ['a'], { code: 'a' }, undefined])('must be text: %j', async (code) => {
    expect((await pair(server, code)).status).toBe(400);
  });

  it('works for one of many at once', async () => {
    const code = await pairingCode(server, 'console');
    const answers = await Promise.all(Array.from({ length: 12 }, () => pair(server, code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array.from({ length: 11 }, () => 401),
    ]);
  });

  it('is void after ten minutes', async () => {
    const [late, inTime] = [await pairingCode(server, 'device'), await pairingCode(server, 'device')];
    clock.move(10 * MINUTE - 1000);
    expect((await pair(server, inTime)).status).toBe(200);
    clock.move(MINUTE);
    expect((await pair(server, late)).status).toBe(401);
  });
});
