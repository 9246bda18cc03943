import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';

/** Whose cursor it is. One that was issued to another principal does not open. */
export interface CursorHolder {
  readonly sub: string;
  readonly clientId: string;
}

/**
 * Turns what a reader has seen into an opaque token and back.
 *
 * The nonce is synthetic (an HMAC of what is sealed), so the same content gives the same token: nothing in
 * it is random or counts, and two worlds that look alike to a reader give it the same bytes.
 */
export interface CursorCodec {
  /**
   * Seals `content` for one holder and one purpose, in base64url.
   *
   * @throws Error when the token would be longer than 192 KiB, and so could not be opened again.
   */
  seal(purpose: string, holder: CursorHolder, content: string): string;
  /** The content, or null for a token that was altered, is another's, or was never issued. */
  open(purpose: string, holder: CursorHolder, token: string): string | null;
}

const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
// Below the usual limit of a request body, and room for the lanes of some thousands of subjects.
const LONGEST_TOKEN = 192 * 1024;
const BASE64URL = /^[A-Za-z0-9_-]+$/;

/**
 * A codec over a 32-byte secret: AES-256-GCM under one derived key, nonces by HMAC-SHA256 under another
 * (docs/spec/journal.md). Every node that has the secret opens what the others sealed.
 *
 * @throws Error when the secret has another length.
 */
export function createCursorCodec(secret: Uint8Array): CursorCodec {
  const encryptionKey = derive(secret, 'cursor encryption');
  const nonceKey = derive(secret, 'cursor nonce');
  return {
    seal(purpose, holder, content) {
      const context = contextOf(purpose, holder);
      const plain = Buffer.from(content, 'utf8');
      const nonce = createHmac('sha256', nonceKey)
        .update(context)
        .update(plain)
        .digest()
        .subarray(0, NONCE_LENGTH);
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce).setAAD(context);
      const sealed = [nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()];
      const token = Buffer.concat(sealed).toString('base64url');
      // One that could not be opened again would end its reader's way without a word.
      if (token.length > LONGEST_TOKEN) throw new Error('what a cursor holds is too long to be opened again');
      return token;
    },
    open(purpose, holder, token) {
      if (token.length > LONGEST_TOKEN || !BASE64URL.test(token)) return null;
      const bytes = Buffer.from(token, 'base64url');
      // The trailing bits of the last digit are free in base64url: refuse every spelling but ours.
      if (bytes.length < NONCE_LENGTH + TAG_LENGTH || bytes.toString('base64url') !== token) return null;
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, bytes.subarray(0, NONCE_LENGTH), {
        authTagLength: TAG_LENGTH,
      })
        .setAAD(contextOf(purpose, holder))
        .setAuthTag(bytes.subarray(-TAG_LENGTH));
      try {
        const sealed = bytes.subarray(NONCE_LENGTH, -TAG_LENGTH);
        return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
      } catch {
        return null;
      }
    },
  };
}

function derive(secret: Uint8Array, purpose: string): KeyObject {
  if (secret.length !== 32) throw new Error('a cursor secret has 32 bytes');
  return createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', `unsay ${purpose}`, 32)));
}

// As JSON no two contexts spell the same bytes, not even with lone surrogates in them.
function contextOf(purpose: string, { sub, clientId }: CursorHolder): Buffer {
  return Buffer.from(JSON.stringify([purpose, sub, clientId]), 'utf8');
}
