/**
 * Text as its UTF-8 bytes: SQL functions end a text at its first NUL, and what was said is kept to the byte.
 *
 * @throws Error for a lone surrogate, which has no UTF-8 bytes.
 */
export function utf8(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new Error('a text with a lone surrogate cannot be stored');
  return Buffer.from(text, 'utf8');
}
