import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERAS, type Era } from '../harness/era-client.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { writeBody } from '../harness/signed-write.ts';
import { READ_BOTH } from './demonstration.ts';
import { metaOf, type RawAsker, rawAskers, shown, write } from './hostile.ts';

const URI = 'care://ray/odd';

const data = temporaryFolder();
let server: RunningServer;
let askers: Readonly<Record<Era, RawAsker>>;

beforeAll(async () => {
  server = await startServer(data);
  askers = await rawAskers(server.url, await server.mint(READ_BOTH));
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

/** Forms that are a time, and the canonical form of each. */
const TIMES: readonly (readonly [string, string])[] = [
  ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01T09:00:00.1Z', '2026-12-01T09:00:00.100Z'],
  ['2026-12-01T09:00:00.123456789Z', '2026-12-01T09:00:00.123Z'],
  ['2026-12-01T00:00:00+23:59', '2026-11-30T00:01:00.000Z'],
  ['2026-12-01T09:00:00-00:00', '2026-12-01T09:00:00.000Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ['0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
];

/** Forms that are none, separated by bars. */
const NO_TIMES: readonly string[] = [
  ...'now|tomorrow|0|1764579600|1764579600000|-1|1e12|NaN|Infinity|null|P1D|'.split('|'),
  ...'2026|2026-12|2026-12-01|2026-12-01T09Z|2026-12-01T09:00:00|2026-12-01T09:00:00.Z|2026-W49-2'.split('|'),
  ...'2026-335|20261201T090000Z|2026-12-01 09:00:00Z|2026-12-01t09:00:00z|2026-12-01T09:00:00 Z'.split('|'),
  ...'2026-12-01T24:00:00Z|2026-12-01T25:00:00Z|2026-12-01T09:60:00Z|2026-12-01T09:00:60Z'.split('|'),
  ...'2026-12-01T23:59:60Z|2026-02-29T00:00:00Z|2026-02-30T00:00:00Z|2026-13-01T00:00:00Z'.split('|'),
  ...'2026-00-01T00:00:00Z|2026-12-00T00:00:00Z|2026-12-01T09:00:00+24:00|2026-12-01T09:00:00+0100'.split(
    '|',
  ),
  ...'2026-12-01T09:00:00+01|2026-12-01T09:00:00+01:60|2026-12-01T09:00:00Z+01:00'.split('|'),
  ...'+002026-12-01T09:00:00Z|-000001-12-01T09:00:00Z|+275760-09-13T00:00:00Z'.split('|'),
  ...'9999-12-31T23:59:59-01:00|0000-01-01T00:00:00+01:00|12026-12-01T09:00:00Z|26-12-01T09:00:00Z'.split(
    '|',
  ),
  ...'2026-12-1T9:00:00Z|-2026-12-01T09:00:00Z|2026-12-01T-9:00:00Z|01/12/2026'.split('|'),
  ...'Tue, 01 Dec 2026 09:00:00 GMT|2026-12-01T09:00:00,5Z|2026-12-01T09:00:00.1234567890Z'.split('|'),
  ...'2026-12-01T09:00:00[UTC]| 2026-12-01T09:00:00Z|2026-12-01T09:00:00Z |２０２６-12-01T09:00:00Z'.split(
    '|',
  ),
  '2026-12-01T09:00:00Z\n',
  '2026-12-01T09:00:00Z\0',
  '9'.repeat(100_000),
];

/** Whether a call of `whats_changed` since a time was refused as it should be. */
async function refusesSince(era: Era, since: unknown): Promise<boolean> {
  const { status, error, result } = await askers[era].ask('tools/call', {
    name: 'whats_changed',
    arguments: { since },
  });
  expect(status).toBeLessThan(500);
  expect(error?.code ?? -32602).toBe(-32602);
  return error !== null || result?.isError === true;
}

describe.each(TIMES)('the time %s', (form, canonical) => {
  it('is kept as a review date, in its canonical form', async () => {
    const { status, body } = await write(server.url, writeBody(URI, 'Said.', { staleAfter: form }));
    expect(status).toBe(201);
    for (const era of ERAS) {
      const meta = await metaOf(askers[era], `${URI}/v${String(body.version)}`);
      expect(meta['unsay/staleAfter']).toBe(canonical);
    }
  });

  it.each(ERAS)('is understood as a time of changes in the %s era', async (era) => {
    expect(await refusesSince(era, form)).toBe(false);
  });
});

describe.each(NO_TIMES.map((form) => [shown(form), form]))('what is no time, %s,', (_shown, form) => {
  it('is refused as a review date', async () => {
    const { status, code } = await write(server.url, writeBody(URI, 'Never.', { staleAfter: form }));
    expect([status, code]).toEqual([400, 'malformed']);
  });

  it.each(ERAS)('is refused as a time of changes in the %s era', async (era) => {
    expect(await refusesSince(era, form)).toBe(true);
  });
});

it.each([7, 1.5, -1, true, false, ['2026-12-01T09:00:00Z'], { at: 'now' }].map((form) => [form]))(
  'what is no text, %j, is refused as a review date',
  async (staleAfter) => {
    const { status, code } = await write(server.url, writeBody(URI, 'Never.', { staleAfter }));
    expect([status, code]).toEqual([400, 'malformed']);
  },
);

it('none of it broke a chain, or was told on standard error', async () => {
  expect(await server.operate('verify')).toMatchObject({
    intact: true,
    chains: 9,
    versions: 9 + TIMES.length,
  });
  expect(await server.operate('audit')).toMatchObject({ intact: true });
  expect(server.faults()).toBe('');
});
