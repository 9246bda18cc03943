import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  timingSafeEqual,
} from 'node:crypto';
import type { Randomness } from '@unsay/live-resources';
import { encodeFields } from './fields.ts';
import type { Place, RecordKey } from './record-key.ts';
import type { SealedBytes } from './sealed-bytes.ts';

/** Names this envelope in everything it derives and authenticates, so that another is never mistaken for it. */
export const ENVELOPE_FORMAT = 'unsay-envelope/1';

/** Bytes of a master key, of a data key, and of every key derived from them. */
export const KEY_LENGTH = 32;

const CIPHER = 'aes-256-gcm';
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;

/**
 * A key that seals with AES-256-GCM and commits to itself (docs/spec/envelope.md).
 *
 * AES-GCM alone does not commit to its key: one ciphertext can be made that opens under two. The commitment
 * does, and is checked first, so that no such ciphertext ever reaches the cipher.
 *
 * @param secret 32 bytes; not kept, the caller may overwrite them.
 * @param storeId of the store the records are in.
 */
export function createSealingKey(
  secret: Uint8Array,
  { id, storeId }: { readonly id: string; readonly storeId: string },
  randomness: Randomness,
): RecordKey {
  const sealKey = derive(secret, 'seal');
  const commitKey = derive(secret, 'commit');
  const indexKey = derive(secret, 'index');
  const additionalData = (place: Place): Uint8Array => encodeFields([ENVELOPE_FORMAT, storeId, id, ...place]);
  const commit = (nonce: Uint8Array, tag: Uint8Array, additional: Uint8Array): Uint8Array =>
    createHmac('sha256', commitKey).update(nonce).update(tag).update(additional).digest();

  return {
    id,
    seal(place, plain) {
      const additional = additionalData(place);
      const nonce = randomness.bytes('envelope/nonce', nameOf(place), NONCE_LENGTH);
      const cipher = createCipheriv(CIPHER, sealKey, nonce, { authTagLength: TAG_LENGTH });
      cipher.setAAD(additional);
      const ciphertext = cipher.update(plain);
      cipher.final();
      const tag = cipher.getAuthTag();
      return { keyId: id, nonce, tag, commitment: commit(nonce, tag, additional), ciphertext };
    },
    open(place, { keyId, nonce, tag, commitment, ciphertext }: SealedBytes) {
      if (keyId !== id || nonce.length !== NONCE_LENGTH || tag.length !== TAG_LENGTH) return null;
      const additional = additionalData(place);
      const expected = commit(nonce, tag, additional);
      if (commitment.length !== expected.length || !timingSafeEqual(commitment, expected)) return null;
      const decipher = createDecipheriv(CIPHER, sealKey, nonce, { authTagLength: TAG_LENGTH });
      decipher.setAAD(additional);
      decipher.setAuthTag(tag);
      const plain = decipher.update(ciphertext);
      try {
        decipher.final();
        return plain;
      } catch {
        return null;
      }
    },
    index: (purpose, name) =>
      createHmac('sha256', indexKey)
        .update(encodeFields([purpose, name]))
        .digest(),
  };
}

// For a seeded source, which must not give two records one nonce.
function nameOf(place: Place): string {
  const texts = place.map((field) =>
    field instanceof Uint8Array ? Buffer.from(field).toString('hex') : field,
  );
  return texts.join('/');
}

/** One of the keys that a secret stands for: HKDF-SHA256 (RFC 5869) without salt. */
export function deriveBytes(secret: Uint8Array, use: string, length = KEY_LENGTH): Uint8Array {
  if (secret.length !== KEY_LENGTH)
    throw new Error(`a key has ${KEY_LENGTH} bytes, this one ${secret.length}`);
  return new Uint8Array(hkdfSync('sha256', secret, '', `${ENVELOPE_FORMAT} ${use}`, length));
}

// A KeyObject, because a cipher that is given raw bytes takes four times as long.
function derive(secret: Uint8Array, use: string): KeyObject {
  return createSecretKey(deriveBytes(secret, use));
}
