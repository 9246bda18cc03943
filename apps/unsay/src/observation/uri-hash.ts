import { createHmac, hkdfSync } from 'node:crypto';

/**
 * Names a URI in a log or a trace: equal ones by the same word on one data folder, and no other way back than to
 * try them with its key. A hash without a key would not do: topics are words that anyone can guess.
 */
export type UriHash = (uri: string) => string;

const PURPOSE = 'unsay/uri-hash/1';

/** HMAC-SHA256 under a key derived (HKDF, RFC 5869) from a secret of the data folder; 128 bits in hex. */
export function createUriHash(secret: Uint8Array): UriHash {
  const key = new Uint8Array(hkdfSync('sha256', secret, '', PURPOSE, 32));
  return (uri) => createHmac('sha256', key).update(uri).digest('hex').slice(0, 32);
}
