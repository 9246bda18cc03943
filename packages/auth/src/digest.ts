import { hash } from 'node:crypto';

/** SHA-256 of the text's UTF-8 bytes, base64url without padding (43 characters). */
export function sha256Base64url(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** SHA-256 of the text's UTF-8 bytes, base64 with padding. */
export function sha256Base64(text: string): string {
  return hash('sha256', text, 'base64');
}
