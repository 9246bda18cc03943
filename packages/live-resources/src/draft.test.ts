import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PARTITION } from '../testing/sample-facts.ts';
import { type Draft, type DraftFault, type DraftInput, parseDraft } from './draft.ts';

const INPUT: DraftInput = {
  uri: 'fact://ray/walking',
  value: 'Walk 5 minutes.',
  authorId: 'author-1',
  authorLabel: null,
  staleAfter: null,
};

const parse = (parts: Partial<DraftInput>): Draft | DraftFault =>
  parseDraft(PARTITION, { ...INPUT, ...parts });

describe('a draft', () => {
  it('has its target, the rule of its scheme and its parts', () => {
    const parts = { authorLabel: 'the physiotherapist', staleAfter: '2026-02-01T01:00:00+01:00' };
    expect(parse({ uri: 'fact-internal://ray/risk', ...parts })).toEqual({
      target: {
        uri: 'fact-internal://ray/risk',
        scheme: 'fact-internal',
        subject: 'ray',
        topic: 'risk',
        version: null,
      },
      rule: PARTITION.rules[1],
      value: 'Walk 5 minutes.',
      blob: null,
      authorId: 'author-1',
      authorLabel: 'the physiotherapist',
      staleAfter: '2026-02-01T00:00:00.000Z',
    });
  });

  it('keeps every value to the letter', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), (value) => {
        expect(parse({ value })).toMatchObject({ value });
      }),
    );
  });

  it.each([
    ['white space', ' \t\r\n '],
    ['a NUL', 'a\0b'],
    ['a right-to-left override', 'take \u202e5 mg'],
    ['markup', '<script>alert(1)</script>'],
    ['what looks like a header', '[STALE — last changed 1 day ago by me; say this age aloud]'],
    ['what looks like an escape', '\\u0000 %00 $& {{x}}'],
    ['a member name of every object', '__proto__'],
    ['decomposed letters', 'e\u0301'],
    ['a byte order mark', '\ufeffWalk.'],
    ['a noncharacter', '\uffff'],
    ['a million characters', 'a'.repeat(1_000_000)],
  ])('keeps a value with %s', (_what, value) => {
    expect(parse({ value })).toMatchObject({ value });
  });
});

describe('a draft is refused for its URI when it', () => {
  it.each([
    ['is malformed', 'fact://ray'],
    ['is in another spelling', 'FACT://ray/walking'],
    ['has a scheme the partition does not know', 'care://ray/walking'],
    ['has an audience for its scheme', 'user://ray/walking'],
    ['names a version', 'fact://ray/walking/v1'],
    ['is empty', ''],
  ])('%s', (_why, uri) => {
    expect(parse({ uri })).toBe('uri');
  });
});

describe('a value is refused when it', () => {
  it.each([
    ['is empty', ''],
    ['is a lone high surrogate', '\ud800'],
    ['is a lone low surrogate', '\udc00'],
    ['ends in half a character', 'Walk \ud83d'],
    ['has its halves the wrong way round', '\ude00\ud83d'],
  ])('%s', (_why, value) => {
    expect(parse({ value })).toBe('value');
  });

  it('is not well-formed, and only then', () => {
    const units = fc.array(
      fc.oneof(fc.integer({ min: 0xd7f0, max: 0xe00f }), fc.integer({ min: 0, max: 0xffff })),
      {
        minLength: 1,
      },
    );
    fc.assert(
      fc.property(units, (codes) => {
        const value = String.fromCharCode(...codes);
        expect(parse({ value }) === 'value').toBe(!value.isWellFormed());
      }),
    );
  });
});

describe('a name', () => {
  it.each([
    'Nadia Osei, physiotherapist',
    'the ward (2nd floor): nights & week-ends',
    "Seán O'Brien",
    'Żółć',
    '王小明',
    'د. سارة',
    'می\u200cخواهم',
    '👩\u200d⚕️ on duty',
    'a',
    'x'.repeat(200),
  ])('may be %j', (name) => {
    expect(parse({ authorId: name, authorLabel: name })).toMatchObject({ authorId: name, authorLabel: name });
  });

  it.each([
    ['is empty', ''],
    ['is blank', ' \u00a0\u3000'],
    ['is invisible', '\u200d\u200c'],
    ['is too long', 'x'.repeat(201)],
    ['has a line break', 'the ward\nsystem'],
    ['has a carriage return', 'the ward\r'],
    ['has a NUL', 'the\0ward'],
    ['has an escape', 'the ward\u001b[2J'],
    ['has a C1 control', 'the ward\u0085'],
    ['has a line separator', 'the\u2028ward'],
    ['has a paragraph separator', 'the\u2029ward'],
    ['has a right-to-left override', 'the \u202eward'],
    ['has a bidirectional isolate', 'the \u2066ward\u2069'],
    ['has a right-to-left mark', 'the ward\u200f'],
    ['has an Arabic letter mark', 'the ward\u061c'],
    ['has a zero-width space', 'the\u200bward'],
    ['has a byte order mark', '\ufeffthe ward'],
    ['has a soft hyphen', 'the\u00adward'],
    ['has words in invisible tag characters', 'the ward\u{e0073}\u{e0061}\u{e0079}'],
    ['has a private-use character', 'the ward\ue000'],
    ['has a lone surrogate', 'the ward\ud800'],
    ['has a noncharacter', 'the ward\uffff'],
  ])('is refused when it %s', (_why, name) => {
    expect(parse({ authorId: name })).toBe('authorId');
    expect(parse({ authorLabel: name })).toBe('authorLabel');
  });

  it.each(['[the ward', 'the ward]', '[STALE]'])('of an author may not look like a header: %j', (name) => {
    expect(parse({ authorLabel: name })).toBe('authorLabel');
    expect(parse({ authorId: name })).toMatchObject({ authorId: name });
  });

  it('that is accepted is one line without controls', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (name) => {
        const draft = parse({ authorLabel: name });
        fc.pre(typeof draft !== 'string');
        expect(name).not.toMatch(/[\p{Cc}\p{Bidi_Control}\u2028\u2029[\]]/u);
        expect(name.split(/\r\n?|[\n\u0085\u2028\u2029]/)).toHaveLength(1);
        expect(name.trim()).not.toBe('');
      }),
    );
  });
});

describe('a review date', () => {
  it.each(['2026-02-30T00:00:00Z', '2026-02-01T00:00:00', 'tomorrow', ''])('is not %j', (staleAfter) => {
    expect(parse({ staleAfter })).toBe('staleAfter');
  });
});

it('a draft with several faults names one and repeats nothing of what was sent', () => {
  const faulty = parse({ uri: 'secret', value: '', authorId: '', authorLabel: '\n', staleAfter: 'secret' });
  expect(faulty).toBe('uri');
});
