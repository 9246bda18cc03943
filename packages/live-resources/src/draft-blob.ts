import type { Blob } from './version.ts';

/** Bytes as they arrive: in base64 from a request, or as they are from a file. */
export type BlobInput = { readonly mediaType: string } & (
  | { readonly base64: string }
  | { readonly bytes: Uint8Array }
);

/** The most bytes that a blob may have where nobody says otherwise: 128 KiB, after decoding. */
export const DEFAULT_BLOB_LIMIT = 131_072;

// The names of RFC 6838, section 4.2, in lower case. A parameter could say the same thing in many ways.
const MEDIA_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** Checks a blob: a media type without parameters, and bytes, at least one. Null for anything else. */
export function parseBlob(input: BlobInput): Blob | null {
  const bytes = 'bytes' in input ? input.bytes : decodeBase64(input.base64);
  if (bytes === null || bytes.length === 0 || !MEDIA_TYPE.test(input.mediaType)) return null;
  return { mediaType: input.mediaType, bytes };
}

/** Decodes base64 (RFC 4648, section 4) in its one canonical spelling, padded; null for any other. */
function decodeBase64(text: string): Uint8Array | null {
  const bytes = Buffer.from(text, 'base64');
  // The decoder skips what it does not know and forgives spare bits; what it read spells itself in one way.
  return bytes.toString('base64') === text ? new Uint8Array(bytes) : null;
}
