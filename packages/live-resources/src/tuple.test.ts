import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleFact, type VersionParts, versionAfter } from '../testing/sample-facts.ts';
import type { Instant } from './clock.ts';
import { commitment, hashTuple, SALT_LENGTH, type VersionTuple, versionHash, versionTuple } from './tuple.ts';
import type { FactVersion, VersionContent } from './version.ts';

const EVERYTHING: VersionParts = {
  blob: { mediaType: 'audio/wav', bytes: new Uint8Array([1, 2, 3]) },
  attestation: '{"keyid":"author-key-1"}',
  staleAfter: '2026-02-01T00:00:00.000Z' as Instant,
};

function second(parts: VersionParts = EVERYTHING): FactVersion {
  const fact = sampleFact('user', 'ray', 'walking');
  const first = versionAfter({ fact: null, lane: null }, fact);
  return versionAfter(
    { fact: first, lane: { ordinal: first.laneOrdinal, writtenAt: first.writtenAt } },
    fact,
    parts,
  );
}

const salts = fc.uint8Array({ minLength: SALT_LENGTH, maxLength: SALT_LENGTH });
const texts = fc.string({ unit: 'binary' });

describe('a commitment', () => {
  it('is SHA-256 of the salt and the JSON text of the value', () => {
    const salt = new Uint8Array(32).fill(1);
    const hashed = createHash('sha256')
      .update(Buffer.concat([salt, Buffer.from('"a\\n\u00e9"')]))
      .digest('hex');
    expect(commitment(salt, 'a\n\u00e9')).toBe(hashed);
    expect(hashed).toBe('d55991a5feb6219906b7cccc95d441ff4b8e2e1700269ad737b3bcd9af026b07');
  });

  it('changes with the salt and with the value', () => {
    fc.assert(
      fc.property(salts, salts, texts, texts, (salt, otherSalt, value, otherValue) => {
        fc.pre(Buffer.compare(salt, otherSalt) !== 0 && value !== otherValue);
        const both = new Set([
          commitment(salt, value),
          commitment(otherSalt, value),
          commitment(salt, otherValue),
          commitment(otherSalt, otherValue),
        ]);
        expect(both.size).toBe(4);
        expect(commitment(salt, value)).toMatch(/^[0-9a-f]{64}$/);
      }),
    );
  });

  it('does not depend on the order in which a record names its members', () => {
    const salt = new Uint8Array(32);
    expect(commitment(salt, { a: '1', b: '2' })).toBe(commitment(salt, { b: '2', a: '1' }));
  });

  it('tells composed and decomposed letters apart: no text is normalized', () => {
    const salt = new Uint8Array(32);
    expect(commitment(salt, '\u00e9')).not.toBe(commitment(salt, 'e\u0301'));
  });

  it.each([0, 1, 16, 31, 33, 64])('refuses a salt of %i bytes', (length) => {
    expect(() => commitment(new Uint8Array(length), 'value')).toThrow('a salt has 32 bytes');
  });

  it('refuses a text that has no bytes of its own: a lone surrogate', () => {
    expect(() => commitment(new Uint8Array(32), 'a\ud800')).toThrow();
  });
});

describe('the tuple', () => {
  it('has these fields and no others', () => {
    expect(Object.keys(versionTuple(second())).sort()).toEqual([
      'attestationCommitment',
      'audience',
      'authorCommitment',
      'blobCommitment',
      'format',
      'kind',
      'labelCommitment',
      'laneOrdinal',
      'prevHash',
      'staleAfter',
      'uriCommitment',
      'valueCommitment',
      'version',
      'writtenAt',
    ]);
  });

  it('names its format', () => {
    expect(versionTuple(second()).format).toBe('unsay-version/1');
  });

  it('holds nothing that identifies, nor the words', () => {
    const version = second();
    const text = JSON.stringify(versionTuple(version));
    const hidden = [version.subject, version.topic, version.value, version.authorId, version.authorLabel];
    for (const word of hidden) expect(text).not.toContain(word);
  });

  it('is hashed in its canonical form, whatever it holds, or refused where that refuses it', () => {
    const hashOf = (of: () => string): string => {
      try {
        return of();
      } catch {
        return 'refused';
      }
    };
    const text = fc.string({ unit: 'binary' });
    const number = fc.oneof(fc.integer(), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 0, 1e21));
    fc.assert(
      fc.property(text, text, text, number, number, (audience, writtenAt, prevHash, version, laneOrdinal) => {
        const changed = { ...second(), audience, writtenAt, prevHash, version, laneOrdinal } as FactVersion;
        const direct = hashOf(() => versionHash(changed));
        const canonical = hashOf(() => hashTuple(versionTuple(changed)));
        // A number that no version has is refused, though it has a canonical form; so is what has to be escaped.
        if (direct !== 'refused') expect(direct).toBe(canonical);
        const isPlain = !/["\\\p{Cc}\p{Cs}]/u.test(audience + writtenAt + prevHash);
        const areWhole = [version, laneOrdinal].every((each) => Number.isSafeInteger(each));
        expect(direct === 'refused').toBe(!(isPlain && areWhole));
      }),
    );
  });

  it('has null for what a version does not have', () => {
    const tuple = versionTuple(second({ value: null }));
    expect(tuple).toMatchObject({
      valueCommitment: null,
      attestationCommitment: null,
      blobCommitment: null,
      staleAfter: null,
    });
  });

  it.each(['value', 'attestation', 'blob'] as const)(
    'is refused to a %s without its salt, and to a salt without it',
    (part) => {
      const version = second();
      const salt = version.salts[part];
      expect(() => versionTuple({ ...version, salts: { ...version.salts, [part]: null } })).toThrow('salt');
      expect(() => versionTuple({ ...version, [part]: null })).toThrow('salt');
      expect(salt).toHaveLength(SALT_LENGTH);
    },
  );
});

describe('a version hash', () => {
  const tuple = versionTuple(second());

  it.each(Object.keys(tuple) as (keyof VersionTuple)[])('changes with %s', (field) => {
    const { [field]: value, ...others } = tuple;
    const another = typeof value === 'number' ? value + 1 : `${value}0`;
    const hashes = [value, another, null].map((put) => hashTuple({ ...tuple, [field]: put } as VersionTuple));
    expect(new Set([...hashes, hashTuple(others as VersionTuple)]).size).toBe(value === null ? 3 : 4);
    expect(hashes[0]).toBe(hashTuple(tuple));
  });

  it('does not depend on the order of the fields', () => {
    const reversed = Object.fromEntries(Object.entries(tuple).reverse()) as unknown as VersionTuple;
    expect(hashTuple(reversed)).toBe(hashTuple(tuple));
  });

  it('tells a number from its text', () => {
    expect(hashTuple({ ...tuple, version: '2' } as unknown as VersionTuple)).not.toBe(hashTuple(tuple));
  });

  it('changes with every word and every byte of the content', () => {
    const version = second();
    const contents: VersionContent[] = [
      version,
      { ...version, value: `${version.value} ` },
      { ...version, authorId: 'author-2' },
      { ...version, authorLabel: 'Your care team' },
      { ...version, attestation: '{"keyid":"author-key-2"}' },
      { ...version, blob: { mediaType: 'audio/mpeg', bytes: new Uint8Array([1, 2, 3]) } },
      { ...version, blob: { mediaType: 'audio/wav', bytes: new Uint8Array([1, 2, 4]) } },
      { ...version, blob: { mediaType: 'audio/wav', bytes: new Uint8Array([1, 2]) } },
      { ...version, uri: `${version.uri}s` as VersionContent['uri'] },
    ];
    expect(new Set(contents.map(versionHash)).size).toBe(contents.length);
  });

  it('is the same for any two values only when they are the same', () => {
    fc.assert(
      fc.property(texts, texts, (one, other) => {
        const version = second();
        const same = versionHash({ ...version, value: one }) === versionHash({ ...version, value: other });
        expect(same).toBe(one === other);
      }),
    );
  });

  it('is that of the version, whatever it was said to be', () => {
    const version = second();
    expect(versionHash({ ...version, versionHash: '00' } as unknown as FactVersion)).toBe(
      version.versionHash,
    );
  });
});
