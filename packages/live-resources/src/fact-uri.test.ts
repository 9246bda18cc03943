import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFactUri, parseSubject, versionUri } from './fact-uri.ts';

const names = fc.stringMatching(/^[a-z0-9][a-z0-9_-]{0,63}$/);
const schemes = fc.stringMatching(/^[a-z][a-z0-9-]{0,63}$/);
const versions = fc.option(fc.integer({ min: 1, max: 999_999_999 }));
const uris = fc
  .tuple(schemes, names, names, versions)
  .map(([scheme, subject, topic, version]) => spell(scheme, subject, topic, version));

function spell(scheme: string, subject: string, topic: string, version: number | null): string {
  return `${scheme}://${subject}/${topic}${version === null ? '' : `/v${version}`}`;
}

/** The one spelling of what was parsed; null for nothing. */
function respell(text: string): string | null {
  const parsed = parseFactUri(text);
  if (parsed === null) return null;
  return parsed.version === null ? parsed.uri : versionUri(parsed.uri, parsed.version);
}

describe('a fact URI', () => {
  it('gives back the parts it was made of', () => {
    fc.assert(
      fc.property(schemes, names, names, versions, (scheme, subject, topic, version) => {
        const uri = spell(scheme, subject, topic, null);
        expect(parseFactUri(spell(scheme, subject, topic, version))).toEqual({
          uri,
          scheme,
          subject,
          topic,
          version,
        });
      }),
    );
  });

  it('takes the longest names and the highest version', () => {
    const name = 'a'.repeat(64);
    expect(respell(`${name}://${name}/${name}/v999999999`)).not.toBeNull();
    expect(respell(`a${name}://ray/walking`)).toBeNull();
    expect(respell(`care://a${name}/walking`)).toBeNull();
    expect(respell(`care://ray/a${name}`)).toBeNull();
    expect(respell('care://ray/walking/v1000000000')).toBeNull();
  });

  it('reads a topic that looks like a version as a topic', () => {
    expect(parseFactUri('care://ray/v2')).toMatchObject({ topic: 'v2', version: null });
    expect(parseFactUri('care://ray/v2/v3')).toMatchObject({ topic: 'v2', version: 3 });
  });
});

describe('there is one spelling', () => {
  it('of whatever text is accepted', () => {
    const alike = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.webUrl(),
      fc
        .tuple(uris, fc.nat(), fc.nat({ max: 1 }), fc.string({ unit: 'binary', maxLength: 2 }))
        .map(([uri, at, dropped, put]) => {
          const place = at % (uri.length + 1);
          return uri.slice(0, place) + put + uri.slice(place + dropped);
        }),
    );
    fc.assert(
      fc.property(alike, (text) => {
        expect([null, text]).toContain(respell(text));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['upper case in the scheme', 'Care://ray/walking'],
    ['upper case in the subject', 'care://Ray/walking'],
    ['upper case in the topic', 'care://ray/Walking'],
    ['an upper-case version mark', 'care://ray/walking/V1'],
    ['percent-encoding', 'care://ray/w%61lking'],
    ['an encoded slash', 'care://ray%2Fwalking'],
    ['version 0', 'care://ray/walking/v0'],
    ['a leading zero', 'care://ray/walking/v01'],
    ['an exponent', 'care://ray/walking/v1e3'],
    ['a sign', 'care://ray/walking/v+1'],
    ['a negative version', 'care://ray/walking/v-1'],
    ['a fraction', 'care://ray/walking/v1.0'],
    ['no number', 'care://ray/walking/v'],
    ['a number without its mark', 'care://ray/walking/1'],
    ['a version of a version', 'care://ray/walking/v1/v1'],
    ['digits of another script', 'care://ray/walking/v١'],
    ['a trailing slash', 'care://ray/walking/'],
    ['a trailing slash after the version', 'care://ray/walking/v1/'],
    ['a trailing newline', 'care://ray/walking\n'],
    ['a trailing newline after the version', 'care://ray/walking/v1\n'],
    ['a carriage return', 'care://ray/walking\r\n'],
    ['leading space', ' care://ray/walking'],
    ['a tab', 'care://ray/wal\tking'],
    ['a byte order mark', '\ufeffcare://ray/walking'],
    ['a NUL', 'care://ray/walking\0'],
    ['a doubled slash', 'care://ray//walking'],
    ['a third slash', 'care:///ray/walking'],
    ['one slash', 'care:/ray/walking'],
    ['backslashes', 'care:\\\\ray\\walking'],
    ['no scheme', 'ray/walking'],
    ['an empty scheme', '://ray/walking'],
    ['no topic', 'care://ray'],
    ['an empty topic', 'care://ray/'],
    ['dots', 'care://ray/../walking'],
    ['a dot', 'care://ray/./walking'],
    ['user information', 'care://someone@ray/walking'],
    ['a port', 'care://ray:80/walking'],
    ['a query', 'care://ray/walking?v=1'],
    ['an empty query', 'care://ray/walking?'],
    ['a fragment', 'care://ray/walking#v1'],
    ['an empty fragment', 'care://ray/walking#'],
    ['a Cyrillic a', 'care://r\u0430y/walking'],
    ['a full-width letter', 'care://ray/\uff57alking'],
    ['a full-width slash', 'care://ray\uff0fwalking'],
    ['a zero-width space', 'care://ray/walk\u200bing'],
    ['a soft hyphen', 'care://ray/walk\u00ading'],
    ['a combining mark', 'care://ray/walking\u0301'],
    ['a Kelvin sign', 'care://ray/wal\u212aing'],
    ['a dotless i', 'care://ray/walk\u0131ng'],
    ['a leading hyphen', 'care://-ray/walking'],
    ['a leading underscore', 'care://ray/_walking'],
    ['two URIs', 'care://ray/walking care://ray/walking'],
    ['nothing', ''],
  ])('without %s', (_what, text) => {
    expect(parseFactUri(text)).toBeNull();
  });

  it('without what is too long to be one', () => {
    expect(parseFactUri('a'.repeat(10_000_000))).toBeNull();
    expect(parseFactUri(`care://ray/${'a'.repeat(10_000_000)}`)).toBeNull();
    expect(parseFactUri(`care://ray/walking/v1${'0'.repeat(10_000_000)}`)).toBeNull();
  });
});

describe('a subject id', () => {
  it('is accepted exactly where it may stand in a URI', () => {
    fc.assert(
      fc.property(fc.oneof(names, fc.string({ unit: 'binary', maxLength: 70 })), (text) => {
        const inUri = parseFactUri(`care://${text}/walking`)?.subject ?? null;
        expect(parseSubject(text)).toBe(inUri === text ? text : null);
      }),
    );
  });

  it.each(['', 'Ray', 'ray/walking', 'ray\n', '*', '-ray', 'a'.repeat(65)])('is not %j', (text) => {
    expect(parseSubject(text)).toBeNull();
  });
});
