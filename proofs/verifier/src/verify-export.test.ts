import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Draft, sampleDrafts, sealed } from '../testing/sample-export.ts';
import { canonicalJson, type Json } from './canonical-json.ts';
import type { Report } from './report.ts';
import { verifyExport } from './verify-export.ts';

const DRAFTS = sampleDrafts();
const WHOLE = sealed(DRAFTS);
const LINES = WHOLE.toString('utf8').split('\n').slice(0, -1);

function verify(...chunks: readonly Uint8Array[]): Promise<Report> {
  async function* source(): AsyncGenerator<Uint8Array> {
    yield* chunks;
  }
  return verifyExport(source());
}

const verifyLines = (lines: readonly string[]): Promise<Report> =>
  verify(Buffer.from(lines.map((line) => `${line}\n`).join('')));

/** Every value at every depth of a line, replaced by others, dropped, and joined by one more. */
function* mutants(value: Json, path = ''): Generator<readonly [path: string, value: Json | undefined]> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const members = value as { readonly [name: string]: Json };
    yield [`${path}.extra`, { ...members, extra: null }];
    for (const [name, member] of Object.entries(members)) {
      for (const [where, changed] of mutants(member, `${path}.${name}`)) {
        const { [name]: _old, ...others } = members;
        yield [where, changed === undefined ? others : { ...others, [name]: changed }];
      }
    }
  }
  const others: Json[] = [null, '', 0, {}, []];
  if (typeof value === 'string')
    others.push(
      `${value}x`,
      value.slice(1),
      value.replace(/\d/, (digit) => String((Number(digit) + 1) % 10)),
    );
  if (typeof value === 'number') others.push(value + 1, value - 1, value + 0.5, -value);
  for (const other of others) if (canonicalJson(other) !== canonicalJson(value)) yield [path, other];
  yield [path, undefined];
}

describe('a whole export', () => {
  it('is intact', async () => {
    const report = await verify(WHOLE);
    expect(report.steps.flatMap(({ findings }) => findings)).toEqual([]);
    expect(report).toMatchObject({ intact: true, chains: 4, versions: 8, erased: 1, broken: [] });
    expect(report.steps.map(({ step }) => step)).toHaveLength(5);
  });

  it('is intact however its bytes arrive', async () => {
    const bytes = [...WHOLE].map((byte) => Uint8Array.of(byte));
    expect(await verify(...bytes)).toEqual(await verify(WHOLE));
  });

  it('may be empty of facts', async () => {
    const [header] = DRAFTS;
    expect(await verify(sealed(header === undefined ? [] : [header]))).toMatchObject({
      intact: true,
      versions: 0,
    });
  });
});

describe('a line that was changed', () => {
  it.each(LINES.map((line, index) => [index + 1, JSON.parse(line).type as string, line] as const))(
    'is found: line %d, %s',
    async (_number, _type, line) => {
      const index = LINES.indexOf(line);
      let tried = 0;
      for (const [path, changed] of mutants(JSON.parse(line) as Json)) {
        const lines = changed === undefined && path === '' ? [] : [canonicalJson(changed ?? null)];
        tried += 1;
        const report = await verifyLines(LINES.toSpliced(index, 1, ...lines));
        expect(report.intact, path).toBe(false);
      }
      expect(tried).toBeGreaterThan(10);
    },
  );

  it('is found in another spelling of the same', async () => {
    for (const [index, line] of LINES.entries()) {
      for (const respelled of [
        ` ${line}`,
        `${line}\r`,
        `${line} `,
        line.replace(':', ': '),
        line.replace('"t', '"\\u0074'),
      ]) {
        expect((await verifyLines(LINES.with(index, respelled))).intact).toBe(false);
      }
    }
  });
});

describe('a line that was changed by someone who makes the trailer anew', () => {
  const PROTECTED = new Set(['fact', 'lane', 'version', 'erased', 'audit']);

  it.each(
    DRAFTS.map((draft, index) => [index, draft.type, draft] as const).filter(([, type]) =>
      PROTECTED.has(type),
    ),
  )('is found: line %d, %s', async (index, type, draft) => {
    let tried = 0;
    for (const [path, changed] of mutants(draft)) {
      const isTail = type === 'audit' && DRAFTS[index + 1]?.type !== 'audit';
      // That the log went on cannot be seen from what is left of it.
      if (path === '' && changed === undefined && isTail) continue;
      const drafts = changed === undefined && path === '' ? [] : [(changed ?? null) as unknown as Draft];
      tried += 1;
      expect((await verify(sealedAnyhow(DRAFTS.toSpliced(index, 1, ...drafts)))).intact, path).toBe(false);
    }
    expect(tried).toBeGreaterThan(10);
  });

  function sealedAnyhow(drafts: readonly (Draft | null)[]): Buffer {
    return sealed(drafts.map((draft) => draft ?? ('' as unknown as Draft)));
  }

  it('names the version at which the chain broke', async () => {
    const index = DRAFTS.findIndex(({ value }) => value === 'Do not walk.');
    const changed = { ...DRAFTS[index], value: 'Do walk.' } as Draft;
    const report = await verify(sealed(DRAFTS.with(index, changed)));
    expect(report.broken).toEqual([{ uri: 'care://ray/walking', version: 2 }]);
    expect(report.steps.map(({ faults }) => faults)).toEqual([0, 0, 1, 1, 0]);
  });

  it('names the place in the lane of a fact that is gone with its head', async () => {
    const without = DRAFTS.filter(({ uri, type }) => uri !== 'care://ray/gait' || type === 'audit');
    const report = await verify(sealed(without));
    expect(report.broken).toEqual([{ uri: 'care://ray/', version: 3 }]);
  });

  it('cannot give one topic two facts', async () => {
    const both = sampleDrafts([
      { uri: 'care://ray/risk', value: 'Spoken.' },
      { uri: 'care-internal://ray/risk', value: 'Internal.' },
    ]);
    expect(await verify(sealed(both))).toMatchObject({
      broken: [{ uri: 'care-internal://ray/risk', version: 1 }],
    });
  });
});

describe('lines that were moved', () => {
  const pairs = LINES.flatMap((_line, a) =>
    LINES.slice(a + 1).map((_other, distance) => [a, a + 1 + distance] as const),
  );

  it('are found, whichever two change places', async () => {
    for (const [a, b] of pairs) {
      const swapped = LINES.with(a, LINES[b] ?? '').with(b, LINES[a] ?? '');
      expect((await verifyLines(swapped)).intact, `${a} and ${b}`).toBe(false);
    }
    expect(pairs.length).toBeGreaterThan(100);
  });

  it('are found, whichever is said twice', async () => {
    for (const [index, line] of LINES.entries()) {
      for (const at of [index, LINES.length])
        expect((await verifyLines(LINES.toSpliced(at, 0, line))).intact).toBe(false);
    }
    expect(LINES.length).toBeGreaterThan(20);
  });

  it('are found, however many of them, and with the trailer made anew', async () => {
    const order = fc.shuffledSubarray([...DRAFTS.keys()], { minLength: DRAFTS.length });
    await fc.assert(
      fc.asyncProperty(order, async (indices) => {
        const drafts = indices.flatMap((index) => DRAFTS[index] ?? []);
        fc.pre(!sealed(drafts).equals(WHOLE));
        expect((await verify(sealed(drafts))).intact).toBe(false);
      }),
    );
  });
});

describe('bytes that were changed', () => {
  it('are found, wherever the file is cut off', async () => {
    const small = sealed(sampleDrafts([{ uri: 'care://ray/walking', value: 'Walk.' }]));
    for (let length = 0; length < small.length; length += 1) {
      const { intact } = await verify(small.subarray(0, length));
      if (intact) expect.fail(`cut off after ${length} bytes it passes`);
    }
    expect(await verify(small)).toMatchObject({ intact: true, versions: 1 });
  });

  it('are found, whichever byte is another', async () => {
    const where = fc.nat(WHOLE.length - 1);
    await fc.assert(
      fc.asyncProperty(where, fc.integer({ min: 1, max: 255 }), async (at, difference) => {
        const bytes = Buffer.from(WHOLE);
        bytes[at] = (bytes[at] ?? 0) ^ difference;
        expect((await verify(bytes)).intact).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('are found, whatever is cut out or put in', async () => {
    const place = fc.nat(WHOLE.length);
    await fc.assert(
      fc.asyncProperty(place, place, fc.uint8Array({ maxLength: 40 }), async (at, length, bytes) => {
        const changed = Buffer.concat([WHOLE.subarray(0, at), bytes, WHOLE.subarray(at + length)]);
        fc.pre(!changed.equals(WHOLE));
        expect((await verify(changed)).intact).toBe(false);
      }),
      { numRuns: 500 },
    );
  });

  it('never end it without a report', async () => {
    const json = fc.json({ maxDepth: 12 }).map((text) => Buffer.from(`${text}\n`));
    const noise = fc.uint8Array({ maxLength: 300 });
    const line = fc.constantFrom(...LINES).map((text) => Buffer.from(`${text}\n`));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(json, noise, line), { maxLength: 40 }), async (chunks) => {
        const report = await verify(...chunks);
        expect(report.intact).toBe(Buffer.concat(chunks).equals(WHOLE));
      }),
      { numRuns: 500 },
    );
    const deep = Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}\n`);
    expect((await verify(deep)).intact).toBe(false);
  });
});
