import type { Randomness } from '@unsay/live-resources';
import { decodeFields, encodeFields } from './fields.ts';
import type { KeyProvider } from './key-provider.ts';
import { createSealingKey, deriveBytes } from './sealing-key.ts';

const KEY_ID_BYTES = 8;
const PARTS = 4;

/**
 * Wraps data keys under a master key that this process holds.
 *
 * @param masterKey 32 random bytes; not kept, the caller may overwrite them.
 */
export function createLocalKeyProvider(masterKey: Uint8Array, randomness: Randomness): KeyProvider {
  const keyId = Buffer.from(deriveBytes(masterKey, 'master key id', KEY_ID_BYTES)).toString('hex');
  const wrapping = deriveBytes(masterKey, 'wrap');
  const keyOf = (storeId: string) => createSealingKey(wrapping, { id: keyId, storeId }, randomness);
  return {
    id: 'local',
    keyId,
    async wrap(dataKey, { storeId, subject, dataKeyId }) {
      const sealed = keyOf(storeId).seal(['data_keys', subject, dataKeyId], dataKey);
      return encodeFields([sealed.nonce, sealed.tag, sealed.commitment, sealed.ciphertext]);
    },
    async unwrap(wrapped, { storeId, subject, dataKeyId }) {
      const parts = decodeFields(wrapped, PARTS);
      const [nonce, tag, commitment, ciphertext] = parts ?? [];
      if (!nonce || !tag || !commitment || !ciphertext) return null;
      return keyOf(storeId).open(['data_keys', subject, dataKeyId], {
        keyId,
        nonce,
        tag,
        commitment,
        ciphertext,
      });
    },
  };
}
