import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import {
  type Published,
  publish,
  type SignedWrite,
  send,
  signed,
  writeBody,
} from '../harness/signed-write.ts';
import { READ_BOTH } from './demonstration.ts';

const data = temporaryFolder();
let server: RunningServer;
let reader: string;

beforeAll(async () => {
  server = await startServer(data);
  reader = await server.mint(READ_BOTH, { subject: '*', ttl: 86_400 });
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

interface Chain {
  readonly uri: string;
  readonly intact: boolean;
  readonly versions: readonly Published[];
}

interface AuditRow {
  readonly uri: string | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly via: string;
}

/** A write, and what its writer was told before the server was killed. */
interface Answered {
  readonly write: SignedWrite;
  readonly published: Published;
}

async function chains(): Promise<Map<string, Chain>> {
  const answer = await fetch(`${server.url}/verify`, { headers: { authorization: `Bearer ${reader}` } });
  expect(answer.status).toBe(200);
  const { chains: all } = (await answer.json()) as { chains: Chain[] };
  return new Map(all.map((chain) => [chain.uri, chain]));
}

async function audit(): Promise<readonly AuditRow[]> {
  const { rows, intact } = (await server.operate('audit')) as { rows: AuditRow[]; intact: boolean };
  expect(intact).toBe(true);
  return rows;
}

// Two writers contend for one fact, and the lanes of two audiences and two subjects grow at once.
const WRITERS = [
  'care://ray/weight_bearing',
  'care://ray/weight_bearing',
  'care://ray/new_one',
  'care-internal://ray/risk',
  'care-internal://mia/new_one',
  'care://mia/another',
];

/** Lets every writer write as fast as it is answered, and kills the server at the n-th answer. */
async function writeUntilKilled(round: string, answers: number): Promise<readonly Answered[]> {
  const answered: Answered[] = [];
  let killed: Promise<void> | undefined;
  const writer = async (uri: string, name: number): Promise<void> => {
    for (let sentence = 1; ; sentence += 1) {
      const write = signed(writeBody(uri, `Sentence ${sentence} of writer ${name} in ${round}.`));
      const answer = await send(server.url, write).catch(() => null);
      const published =
        answer === null ? null : ((await answer.json().catch(() => null)) as Published | null);
      if (answer === null || published === null) return;
      expect(answer.status).toBe(201);
      answered.push({ write, published });
      if (answered.length >= answers) killed ??= server.kill();
    }
  };
  await Promise.all(WRITERS.map(writer));
  await killed;
  return answered;
}

async function restart(): Promise<void> {
  // The same port, so that tokens, which are for the server's address, still count.
  server = await startServer(data, { UNSAY_PORT: new URL(server.url).port });
}

describe('kill -9 while writers write', () => {
  it.each([
    ['the first round', 3],
    ['the second round', 41],
    ['the third round', 120],
  ])('loses nothing that was answered, in %s', async (round, answers) => {
    const revoked = await server.mint(READ_BOTH);
    await server.operate('token-revoke', { token: revoked });
    const refused = signed(writeBody('care://ray/risk', `Refused in ${round}.`));
    expect((await send(server.url, refused)).status).toBe(409);

    const answered = await writeUntilKilled(round, answers);
    expect(answered.length).toBeGreaterThanOrEqual(answers);
    await restart();

    const [found, rows] = [await chains(), await audit()];
    for (const { published } of answered) {
      const { uri, version, versionHash, prevHash, writtenAt } = published;
      const stored = found.get(uri)?.versions[version - 1];
      expect(stored).toMatchObject({ version, versionHash, prevHash, writtenAt });
    }
    const told = new Set(answered.map(({ published }) => `${published.uri}/v${published.version}`));
    expect(told.size).toBe(answered.length);
    for (const [uri, { intact, versions }] of found) {
      expect([uri, intact]).toEqual([uri, true]);
      const accepted = rows.filter((row) => row.uri === uri && row.outcome === 'accepted');
      expect([uri, accepted.length]).toEqual([uri, versions.length]);
      const times = versions.map(({ writtenAt }) => writtenAt);
      expect(times).toEqual([...times].sort());
    }
    const rejected = rows.filter(({ reason }) => reason === 'store_rejected');
    expect(rejected.length).toBeGreaterThan(0);

    const verified = await server.unsay('verify', '--json');
    const versions = [...found.values()].reduce((sum, chain) => sum + chain.versions.length, 0);
    const verdict = { intact: true, chains: found.size, versions, erased: 0, broken: [] };
    expect([verified.code, JSON.parse(verified.stdout)]).toEqual([0, verdict]);

    for (const write of [refused, ...answered.map((each) => each.write)]) {
      const again = await send(server.url, write);
      expect([again.status, await again.json()]).toEqual([
        401,
        expect.objectContaining({ code: 'replayed' }),
      ]);
    }
    const ended = await fetch(`${server.url}/verify`, { headers: { authorization: `Bearer ${revoked}` } });
    expect(ended.status).toBe(401);

    for (const uri of new Set(WRITERS)) {
      const head = found.get(uri)?.versions.at(-1);
      const next = await publish(server.url, uri, `After ${round}.`);
      expect(next).toMatchObject({ version: (head?.version ?? 0) + 1, prevHash: head?.versionHash ?? null });
    }
  });

  it('leaves a head that a condition of before still names', async () => {
    const uri = 'care://ray/conditional';
    const { versionHash } = await publish(server.url, uri, 'The head.');
    await server.kill();
    await restart();
    const write = (ifMatch: string): Promise<Response> =>
      send(server.url, signed(writeBody(uri, 'The next.'), { ifMatch: `"${ifMatch}"` }));
    const moved = await write('0'.repeat(64));
    expect([moved.status, await moved.json()]).toEqual([409, expect.objectContaining({ head: versionHash })]);
    expect((await write(versionHash)).status).toBe(201);
  });
});

describe('a clock that steps back', () => {
  it('takes no lane back with it, also over a restart', async () => {
    const folder = temporaryFolder();
    const clock = new ClockFile();
    const start = clock.now;
    const settings = { UNSAY_CLOCK: clock.setting };
    let stepped = await startServer(folder, settings);
    const write = async (uri: string): Promise<number> =>
      Date.parse((await publish(stepped.url, uri, `At ${clock.now}.`, clock.now)).writtenAt);
    expect(await write('care://ray/wound')).toBe(start);
    clock.move(-3_600_000);
    // The lane of the subject, not the fact alone, keeps its time.
    expect(await write('care://ray/wound')).toBe(start);
    expect(await write('care://ray/gait')).toBe(start);
    expect(await write('care://mia/diet')).toBe(start - 3_600_000);
    await stepped.kill();
    clock.move(1000);
    stepped = await startServer(folder, settings);
    expect(await write('care://ray/wound')).toBe(start);
    clock.move(3_600_000);
    expect(await write('care://ray/wound')).toBe(start + 1000);
    expect(await stepped.operate('verify')).toMatchObject({ intact: true });
    await stepped.kill();
    removeFolder(folder);
    clock.remove();
  });
});
