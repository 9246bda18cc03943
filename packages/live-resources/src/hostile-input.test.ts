import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  allOf,
  createLiveScene,
  draftOf,
  principalOf,
  publicationOf,
  writer,
} from '../testing/live-scene.ts';
import { PARTITION, START } from '../testing/sample-facts.ts';
import { instant, parseInstant } from './clock.ts';
import { createCursorCodec } from './cursor.ts';
import { type DraftFault, type DraftInput, parseDraft } from './draft.ts';
import { parseFactUri, type Subject, type Topic, versionUri } from './fact-uri.ts';
import { definePartition, factUri, type PartitionDefinition } from './partition.ts';
import { parseVersionHash } from './version.ts';

// Whatever arrives is kept to the letter, or refused by a word of a closed list. Nothing is repaired, and
// nothing that arrives is a reason to throw.

const MANY = 10_000_000;
const TEXTS = [
  ...['', ' ', '\0', '\r\n', '\t', '%00', '%2e%2e', '..', '*', '[]', '{}', 'null', '0', '-1', '1e3', '٣'],
  ...['__proto__', 'constructor', 'tostring', '\\u0000', '\u200b', '\u202eyar', '\u2066', '\ufeff', '\uffff'],
  ...['\ud800', '\udc00', '\udc00\ud800', '\ud83d\udc69\u200d\u2695\ufe0f', 'e\u0301', '\u00e9', 'K\u212a'],
  // 256 KiB of marks over one letter, and over none.
  ...[`e${'\u0301'.repeat(131_072)}`, '\u0301'.repeat(131_072)],
];
const HUGE = ['a', '0', '/', '\u0301', '\ud800'].map((unit) => unit.repeat(MANY));

const texts = fc.oneof(fc.constantFrom(...TEXTS), fc.string({ unit: 'binary' }), fc.string());

/** A text that is nearly one of these: something put in, taken out, exchanged, or set in front or behind. */
function near(...originals: readonly string[]): fc.Arbitrary<string> {
  const edit = fc.tuple(fc.constantFrom(...originals), fc.nat(), fc.nat({ max: 2 }), texts);
  return edit.map(([original, at, dropped, put]) => {
    const place = at % (original.length + 1);
    return original.slice(0, place) + put + original.slice(place + dropped);
  });
}

const URIS = ['fact://ray/walking', 'fact-internal://ray/risk', 'fact://ray/walking/v1', 'fact://eve/v2/v12'];
const MOMENTS = [START, '2026-02-01T01:00:00+01:00', '2026-02-01T01:00Z', '0001-01-01T00:00:00.000Z'];
const uris = fc.oneof(texts, fc.constantFrom(...URIS), near(...URIS));
const moments = fc.oneof(texts, fc.constantFrom(...MOMENTS), near(...MOMENTS));

describe('a draft of any texts at all', () => {
  const names = fc.oneof(
    { arbitrary: fc.constantFrom('author-1', 'Żółć', 'د. سارة'), weight: 3 },
    { arbitrary: fc.oneof(texts, near('author-1')), weight: 2 },
  );
  const drafts: fc.Arbitrary<DraftInput> = fc.record({
    uri: fc.oneof(
      { arbitrary: fc.constantFrom('fact://ray/walking', 'fact-internal://ray/risk'), weight: 3 },
      { arbitrary: uris, weight: 1 },
    ),
    value: fc.option(texts, { freq: 9 }),
    authorId: names,
    authorLabel: fc.option(names),
    staleAfter: fc.option(fc.oneof(fc.constantFrom(...MOMENTS), moments), { freq: 1 }),
  });
  const FAULTS: readonly DraftFault[] = ['uri', 'value', 'authorId', 'authorLabel', 'staleAfter', 'blob'];

  it('is refused by the name of a part, or published and read back to the letter', async () => {
    let published = 0;
    await fc.assert(
      fc.asyncProperty(drafts, async (input) => {
        const draft = parseDraft(PARTITION, input);
        if (typeof draft === 'string') {
          expect(FAULTS).toContain(draft);
          return;
        }
        const { live } = createLiveScene();
        const outcome = await live.publish(writer, { ...publicationOf(input.uri, 'x'), draft });
        if (outcome.kind !== 'published') {
          expect([outcome.kind, input.value]).toEqual(['absent', null]);
          return;
        }
        published += 1;
        // A name stands inside sentences: it may not end or turn one round.
        const spelled = `${input.authorId}${input.authorLabel ?? ''}`;
        expect(spelled).not.toMatch(/[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/u);
        const found = await live.read(writer, input.uri);
        expect(found).toMatchObject({
          kind: 'found',
          version: {
            uri: input.uri,
            value: input.value,
            authorId: input.authorId,
            authorLabel: input.authorLabel ?? 'your care team',
            staleAfter: draft.staleAfter,
          },
        });
        const chains = await allOf(live.verify(writer, { subject: null, topic: null }));
        expect(chains.map(({ verdict }) => verdict)).toEqual([{ intact: true }]);
      }),
      { numRuns: 400 },
    );
    expect(published).toBeGreaterThan(40);
  });

  it.each(HUGE)('is kept or refused when a part of it is 10 MB long (%#)', (huge) => {
    const input = {
      uri: 'fact://ray/walking',
      value: 'x',
      authorId: 'a',
      authorLabel: null,
      staleAfter: null,
    };
    expect(parseDraft(PARTITION, { ...input, uri: huge })).toBe('uri');
    expect(parseDraft(PARTITION, { ...input, authorId: huge })).toBe('authorId');
    expect(parseDraft(PARTITION, { ...input, authorLabel: huge })).toBe('authorLabel');
    expect(parseDraft(PARTITION, { ...input, staleAfter: huge })).toBe('staleAfter');
    expect(parseDraft(PARTITION, { ...input, blob: { mediaType: huge, base64: 'AA==' } })).toBe('blob');
    const kept = parseDraft(PARTITION, { ...input, value: huge });
    expect(typeof kept === 'string' ? kept : kept.value === huge).toBe(huge.isWellFormed() ? true : 'value');
  });
});

describe('asked by any text at all', () => {
  const everything = principalOf(['read.user', 'read.assistant'], '*');

  it('what is found has that text for its address, and everything else is absent', async () => {
    const { live, write } = createLiveScene();
    for (const uri of [
      'fact://ray/walking',
      'fact-internal://ray/risk',
      'fact://eve/v2',
      'fact://ray/walking',
    ])
      await write(uri);
    await fc.assert(
      fc.asyncProperty(uris, async (text) => {
        const found = await live.read(everything, text);
        if (found.kind === 'absent') return;
        const { uri, version } = found.version;
        expect([uri, versionUri(uri, version)]).toContain(text);
      }),
      { numRuns: 1000 },
    );
    for (const huge of HUGE) expect(await live.read(everything, huge)).toEqual({ kind: 'absent' });
  });

  it('lists, corrections and chains are those of nothing, and a cursor is no cursor', async () => {
    const { live, write } = createLiveScene();
    for (let round = 0; round < 2; round += 1) await write('fact://ray/walking');
    const strange = fc
      .oneof(texts, near('ray', 'walking'))
      .filter((text) => !['ray', 'walking'].includes(text));
    await fc.assert(
      fc.asyncProperty(strange, async (text) => {
        const since = await live.changes(everything, { subject: text, since: null, after: null });
        expect(since).toMatchObject({ kind: 'changes', changes: [] });
        const after = await live.changes(everything, { subject: null, since: null, after: text });
        expect(after).toEqual({ kind: 'bad_cursor' });
        if (parseFactUri(text) === null) expect(await live.list(everything, text, 10)).toEqual([]);
        for (const query of [
          { subject: text, topic: null },
          { subject: null, topic: text },
        ]) {
          const chains = live.verify(everything, query as { subject: Subject | null; topic: Topic | null });
          expect(await allOf(chains)).toEqual([]);
        }
      }),
      { numRuns: 300 },
    );
  });
});

it('a time is read as the moment that it names, in one spelling, or not at all', () => {
  fc.assert(
    fc.property(moments, (text) => {
      const at = parseInstant(text);
      if (at === null) return;
      expect(at).toMatch(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/);
      expect(at).toBe(instant(Date.parse(text)));
      expect(parseInstant(at)).toBe(at);
    }),
    { numRuns: 2000 },
  );
  expect(HUGE.map(parseInstant)).toEqual(HUGE.map(() => null));
});

it('a version hash is 64 of sixteen digits, and is not brought into shape', () => {
  const hash = '0123456789abcdef'.repeat(4);
  fc.assert(
    fc.property(
      fc.oneof(
        near(hash),
        fc.string({ unit: fc.constantFrom(...'0123456789abcdefABg'), minLength: 63, maxLength: 65 }),
      ),
      (text) => {
        const isHash = text.length === 64 && [...text].every((digit) => '0123456789abcdef'.includes(digit));
        expect(parseVersionHash(text)).toBe(isHash ? text : null);
      },
    ),
    { numRuns: 2000 },
  );
  expect(HUGE.map(parseVersionHash)).toEqual(HUGE.map(() => null));
});

it('a cursor with a byte exchanged, added or missing anywhere does not open', () => {
  const codec = createCursorCodec(new Uint8Array(32).fill(1));
  const holder = { sub: 'someone', clientId: 'client' };
  const bytes = Buffer.from(codec.seal('changes', holder, '[["user/ray",7]]'), 'base64url');
  const put = fc.uint8Array({ maxLength: 3 });
  fc.assert(
    fc.property(fc.nat({ max: bytes.length }), fc.nat({ max: 3 }), put, (at, dropped, added) => {
      const changed = Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + dropped)]);
      const opened = codec.open('changes', holder, changed.toString('base64url'));
      expect(opened === null).toBe(!changed.equals(bytes));
    }),
    { numRuns: 2000 },
  );
  expect(HUGE.map((text) => codec.open('changes', holder, text))).toEqual(HUGE.map(() => null));
});

describe('a partition of any names at all', () => {
  const NAMES = ['user', 'assistant', 'fact', 'fact-internal', 'constructor', 'read', 'write', 'a-b'];
  const names = fc.oneof(
    { arbitrary: fc.constantFrom(...NAMES), weight: 6 },
    { arbitrary: near(...NAMES), weight: 1 },
  );
  const audience = fc.record({ audience: names, scheme: names, readScope: names, speakable: fc.boolean() });
  const definitions: fc.Arbitrary<PartitionDefinition> = fc.record({
    audiences: fc.array(audience, { minLength: 1, maxLength: 3 }),
    writeScope: names,
  });

  it('is refused at once, or keeps facts apart under each of them', () => {
    let defined = 0;
    fc.assert(
      fc.property(definitions, (definition) => {
        const partition = attempt(() => definePartition(definition));
        if (typeof partition === 'string') {
          expect(partition).toMatch(
            /^(not a scope|not an audience name|not a URI scheme|two audiences share one) ?/,
          );
          return;
        }
        defined += 1;
        expect(partition).toEqual({ ...definition, rules: definition.audiences, audiences: undefined });
        const { rules, writeScope } = partition;
        const { target } = draftOf('fact://ray/walking', 'x');
        for (const rule of rules) expect(parseFactUri(factUri(rule, target))?.scheme).toBe(rule.scheme);
        expect(new Set([...rules.map(({ readScope }) => readScope), writeScope]).size).toBe(rules.length + 1);
        expect(new Set(rules.map(({ scheme }) => scheme)).size).toBe(rules.length);
      }),
      { numRuns: 1000 },
    );
    expect(defined).toBeGreaterThan(100);
  });
});

/** What `work` gives, or what it throws says. */
function attempt<Result>(work: () => Result): Result | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error) return error.message;
    throw error;
  }
}
