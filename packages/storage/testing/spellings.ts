/** How a secret could stand in some bytes: as it is, in hex, or in base64 at any of the three offsets. */
export type Spelling = 'bytes' | 'hex' | 'base64' | 'base64url' | 'utf16';

/** The spellings of a secret that occur in bytes. */
export function spellingsIn(bytes: Buffer, secret: string | Uint8Array): Spelling[] {
  const plain = Buffer.from(secret as string);
  const found: Spelling[] = [];
  if (bytes.includes(plain)) found.push('bytes');
  const text = bytes.toString('latin1');
  if (text.toLowerCase().includes(plain.toString('hex'))) found.push('hex');
  for (const encoding of ['base64', 'base64url'] as const) {
    if ([0, 1, 2].some((offset) => text.includes(insideBase64(plain, offset, encoding))))
      found.push(encoding);
  }
  if (typeof secret === 'string' && bytes.includes(Buffer.from(secret, 'utf16le'))) found.push('utf16');
  return found;
}

// The characters that depend on nothing but the secret when it begins `offset` bytes into a group of three.
function insideBase64(plain: Buffer, offset: number, encoding: 'base64' | 'base64url'): string {
  const text = Buffer.concat([Buffer.alloc(offset), plain])
    .toString(encoding)
    .replaceAll('=', '');
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor(((offset + plain.length) * 8) / 6);
  return text.slice(first, last);
}
