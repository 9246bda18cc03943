import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PARTITION } from '../testing/sample-facts.ts';
import { type Draft, type DraftFault, type DraftInput, parseDraft } from './draft.ts';
import { type BlobInput, parseBlob } from './draft-blob.ts';

const BYTES = new Uint8Array([0, 1, 254, 255]);
const BASE64 = 'AAH+/w==';

const parse = (parts: Partial<DraftInput>): Draft | DraftFault =>
  parseDraft(PARTITION, {
    uri: 'fact://ray/walking',
    value: 'Walk 5 minutes.',
    authorId: 'author-1',
    authorLabel: null,
    staleAfter: null,
    ...parts,
  });

describe('a blob', () => {
  it.each<[string, BlobInput]>([
    ['in base64', { mediaType: 'audio/wav', base64: BASE64 }],
    ['as bytes', { mediaType: 'audio/wav', bytes: BYTES }],
  ])('%s becomes a part of its draft', (_how, blob) => {
    expect(parse({ blob })).toMatchObject({ blob: { mediaType: 'audio/wav', bytes: BYTES } });
  });

  it.each([{}, { blob: null }])('that is not given is none', (parts) => {
    expect(parse(parts)).toMatchObject({ blob: null });
  });

  it('has no place in a withdrawal', () => {
    expect(parse({ value: null, blob: { mediaType: 'audio/wav', bytes: BYTES } })).toBe('blob');
  });

  it('is any bytes at all, and comes back as those bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 300 }), (bytes) => {
        const base64 = Buffer.from(bytes).toString('base64');
        expect(parseBlob({ mediaType: 'audio/wav', base64 })).toEqual({ mediaType: 'audio/wav', bytes });
      }),
    );
  });
});

describe('base64 is refused when it', () => {
  it.each([
    ['is empty', ''],
    ['has no padding', 'AAH+/w'],
    ['has too much padding', 'AAH+/w==='],
    ['has padding where none belongs', 'AAH+=='],
    ['has spare bits set', 'AAH+/x=='],
    ['has a line break', 'AAH+\n/w=='],
    ['has a space', ' AAH+/w=='],
    ['is of the alphabet for URLs', 'AAH-_w=='],
    ['has a character of no alphabet', 'AAH*/w=='],
    ['ends in half a group', 'AAH+/'],
    ['hides something behind its end', 'AA==AAH+'],
    ['is a data URL', 'data:audio/wav;base64,AAH+/w=='],
    ['has a lone surrogate', 'AAH+/w==\ud800'],
  ])('%s', (_why, base64) => {
    expect(parse({ blob: { mediaType: 'audio/wav', base64 } })).toBe('blob');
  });

  it('is not the one spelling of its bytes, and only then', () => {
    const near = fc.array(fc.constantFrom('A', 'Q', 'w', '/', '+', '=', '-', '\n'), { maxLength: 12 });
    const strict = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;
    fc.assert(
      fc.property(near, (characters) => {
        const base64 = characters.join('');
        const isCanonical = base64 !== '' && strict.test(base64);
        expect(parseBlob({ mediaType: 'a/b', base64 }) !== null).toBe(isCanonical);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('a media type', () => {
  it.each(['audio/wav', 'application/vnd.example.trace+json', 'x-a/x.1', `${'a'.repeat(127)}/b`])(
    'may be %s',
    (mediaType) => {
      expect(parse({ blob: { mediaType, bytes: BYTES } })).toMatchObject({ blob: { mediaType } });
    },
  );

  it.each([
    ['empty', ''],
    ['a type alone', 'audio'],
    ['without a subtype', 'audio/'],
    ['without a type', '/wav'],
    ['of three parts', 'audio/wav/x'],
    ['in upper case', 'Audio/WAV'],
    ['one with a parameter', 'audio/wav;codecs=1'],
    ['one with a space', 'audio/wav '],
    ['one with a line break', 'audio/wav\nx-header: 1'],
    ['a wildcard', 'audio/*'],
    ['beyond ASCII', 'audio/wäv'],
    ['one that begins with a mark', 'audio/.wav'],
    ['too long', `${'a'.repeat(128)}/b`],
  ])('may not be %s', (_what, mediaType) => {
    expect(parse({ blob: { mediaType, bytes: BYTES } })).toBe('blob');
  });
});
