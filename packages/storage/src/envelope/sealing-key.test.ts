import { createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { colliding } from '../../testing/colliding-ciphertext.ts';
import { randomness } from '../../testing/open-sqlite-store.ts';
import { encodeFields } from './fields.ts';
import type { Place } from './record-key.ts';
import type { SealedBytes } from './sealed-bytes.ts';
import { createSealingKey, ENVELOPE_FORMAT } from './sealing-key.ts';

const NAMES = { id: 'key-1', storeId: 'store-1' };
const secret = randomBytes(32);
const key = createSealingKey(secret, NAMES, randomness);
const PLACE: Place = ['versions', '7', 'ray', Uint8Array.of(1, 2), '3', 'user', null];
const places: fc.Arbitrary<Place> = fc
  .tuple(
    fc.constantFrom('versions', 'facts', 'audit', 'audit_counts', 'answered_requests'),
    fc.array(fc.option(fc.string({ maxLength: 4 })), { maxLength: 5 }),
  )
  .map(([table, rest]) => [table, ...rest]);

it('opens what it sealed, where it was sealed', () => {
  fc.assert(
    fc.property(places, fc.uint8Array({ maxLength: 300 }), (place, plain) => {
      expect(key.open(place, key.seal(place, plain))).toEqual(Buffer.from(plain));
    }),
  );
});

it('opens nothing in another place', () => {
  fc.assert(
    fc.property(places, places, (place, other) => {
      fc.pre(Buffer.compare(encodeFields(place), encodeFields(other)) !== 0);
      expect(key.open(other, key.seal(place, Buffer.from('words')))).toBeNull();
    }),
  );
});

it('opens nothing of which one bit was turned', () => {
  const sealed = key.seal(PLACE, Buffer.from('Walk 5 minutes.'));
  for (const part of ['nonce', 'tag', 'commitment', 'ciphertext'] as const) {
    for (let bit = 0; bit < sealed[part].length * 8; bit += 1) {
      const bytes = Buffer.from(sealed[part]);
      bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(key.open(PLACE, { ...sealed, [part]: bytes })).toBeNull();
    }
  }
  expect(key.open(PLACE, sealed)).not.toBeNull();
});

it.each([
  ['nonce', 0],
  ['nonce', 11],
  ['nonce', 16],
  ['tag', 0],
  ['tag', 4],
  ['tag', 15],
  ['commitment', 0],
  ['commitment', 31],
])('takes no %s of %i bytes, and says so without an error', (part, length) => {
  const sealed = key.seal(PLACE, Buffer.from('words'));
  const whole = sealed[part as keyof SealedBytes] as Uint8Array;
  const bytes = Buffer.concat([whole, Buffer.alloc(16)]).subarray(0, length);
  expect(key.open(PLACE, { ...sealed, [part]: bytes })).toBeNull();
});

describe('another key', () => {
  it.each([
    ['secret', createSealingKey(randomBytes(32), NAMES, randomness)],
    ['id', createSealingKey(secret, { ...NAMES, id: 'key-2' }, randomness)],
    ['store', createSealingKey(secret, { ...NAMES, storeId: 'store-2' }, randomness)],
  ])('opens nothing: another %s', (_what, other) => {
    const sealed = key.seal(PLACE, Buffer.from('words'));
    expect(other.open(PLACE, sealed)).toBeNull();
    expect(other.open(PLACE, { ...sealed, keyId: other.id })).toBeNull();
  });

  it('has other indexes, and one key has one for each name and purpose', () => {
    const other = createSealingKey(randomBytes(32), NAMES, randomness);
    expect(key.index('topic', 'wound')).toEqual(key.index('topic', 'wound'));
    const all = [
      key.index('topic', 'wound'),
      key.index('topic', 'woun'),
      key.index('request', 'wound'),
      other.index('topic', 'wound'),
    ];
    expect(new Set(all.map((index) => Buffer.from(index).toString('hex'))).size).toBe(4);
    expect(all.map((index) => index.length)).toEqual([32, 32, 32, 32]);
  });
});

it('draws a new nonce for each record', () => {
  const nonces = Array.from({ length: 1000 }, () => key.seal(PLACE, Buffer.from('same words')).nonce);
  expect(new Set(nonces.map((nonce) => Buffer.from(nonce).toString('hex'))).size).toBe(1000);
});

it('refuses a secret of another length', () => {
  for (const length of [0, 16, 31, 33, 64]) {
    expect(() => createSealingKey(new Uint8Array(length), NAMES, randomness)).toThrow('32 bytes');
  }
});

describe('a ciphertext made to open under two keys', () => {
  const secrets = [secret, randomBytes(32)] as const;
  const sealKey = (of: Uint8Array): Buffer =>
    Buffer.from(hkdfSync('sha256', of, '', `${ENVELOPE_FORMAT} seal`, 32));
  const keys = secrets.map((of) => createSealingKey(of, NAMES, randomness));
  const additional = encodeFields([ENVELOPE_FORMAT, NAMES.storeId, NAMES.id, ...PLACE]);
  const nonce = randomBytes(12);
  const { ciphertext, tag } = colliding(secrets.map(sealKey), nonce, additional);
  const forged = { keyId: NAMES.id, nonce, tag, ciphertext };

  it('does open under both with AES-GCM alone', () => {
    const words = secrets.map((of) => {
      const decipher = createDecipheriv('aes-256-gcm', sealKey(of), nonce);
      decipher.setAAD(additional);
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    });
    expect(words[0]).not.toEqual(words[1]);
  });

  it('opens here under the one key that it commits to, and under no other', () => {
    for (const [index, of] of secrets.entries()) {
      const commitment = commitmentUnder(of, forged);
      const opened = keys.map((each) => each.open(PLACE, { ...forged, commitment }) !== null);
      expect(opened).toEqual([index === 0, index === 1]);
    }
  });

  it('does not open with the commitment of another record of the same key, or with none', () => {
    const { commitment } = key.seal(PLACE, Buffer.from('words'));
    for (const wrong of [commitment, new Uint8Array(), new Uint8Array(32)]) {
      expect(key.open(PLACE, { ...forged, commitment: wrong })).toBeNull();
    }
  });
});

function commitmentUnder(
  of: Uint8Array,
  { nonce: drawn, tag: shown }: Omit<SealedBytes, 'commitment'>,
): Buffer {
  const commitKey = Buffer.from(hkdfSync('sha256', of, '', `${ENVELOPE_FORMAT} commit`, 32));
  const additional = encodeFields([ENVELOPE_FORMAT, NAMES.storeId, NAMES.id, ...PLACE]);
  return createHmac('sha256', commitKey).update(drawn).update(shown).update(additional).digest();
}
