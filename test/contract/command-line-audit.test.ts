import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';

const data = temporaryFolder();
const file = join(data, 'audit.jsonl');
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data, { UNSAY_AUDIT_LOG: file });
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

interface Row {
  readonly outcome: string;
  readonly reason: string | null;
  readonly via: string;
  readonly actor: string | null;
  readonly uri: string | null;
}

async function rows(): Promise<Row[]> {
  return ((await server.operate('audit')) as { rows: Row[] }).rows;
}

describe('unsay write', () => {
  it.each([
    ['an empty value', ['care://ray/wound', '--value', ''], 'malformed', null],
    ['an address that is none', ['wound', '--value', 'x'], 'malformed', null],
    [
      'a condition that is no hash',
      ['care://ray/wound', '--value', 'x', '--if-match', 'y'],
      'malformed',
      'care://ray/wound',
    ],
    [
      'another head',
      ['care://ray/wound', '--value', 'x', '--if-match', '0'.repeat(64)],
      'head_moved',
      'care://ray/wound',
    ],
    ['another audience', ['care://ray/risk', '--value', 'x'], 'store_rejected', 'care://ray/risk'],
    ['nothing to take back', ['care://ray/never', '--withdraw'], 'not_found', 'care://ray/never'],
  ])(
    'refused for %s leaves one row, says what to do, and changes nothing',
    async (_why, args, reason, uri) => {
      const before = await rows();
      const { code, stdout, stderr } = await server.unsay('write', ...args, '--author', 'someone');
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^\S.*\. .*\.\n$/);
      const added = (await rows()).slice(before.length);
      expect(added).toMatchObject([{ outcome: 'refused', reason, via: 'control', actor: 'operator', uri }]);
    },
  );

  it('accepted leaves one row, in the store and in the audit file alike', async () => {
    const before = await rows();
    const { code } = await server.unsay(
      'write',
      'care://ray/wound',
      '--value',
      'Keep it dry.',
      '--author',
      'x',
    );
    expect(code).toBe(0);
    const [row, ...more] = (await rows()).slice(before.length);
    expect(more).toEqual([]);
    expect(row).toMatchObject({ outcome: 'accepted', reason: null, via: 'control', actor: 'operator' });
    const copied = readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Row);
    expect(row).toMatchObject(copied.at(-1) ?? {});
    expect(copied.map(({ reason }) => reason)).toContain('store_rejected');
  });
});

describe('a fact that was taken back', () => {
  it('reads and is listed as such', async () => {
    await server.unsay('write', 'care://ray/gait', '--withdraw', '--author', 'x', '--label', 'the ward');
    expect((await server.unsay('read', 'care://ray/gait')).stdout).toMatch(/^\[WITHDRAWN — .*by the ward/);
    expect((await server.unsay('history', 'care://ray/gait')).stdout).toContain('(withdrawn)');
  });
});
