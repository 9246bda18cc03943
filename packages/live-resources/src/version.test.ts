import { expect, it } from 'vitest';
import { parseVersionHash } from './version.ts';

const HASH = 'ab'.repeat(32);

it('reads 64 lower-case hex digits as a version hash', () => {
  expect(parseVersionHash(HASH)).toBe(HASH);
});

it.each([
  ['upper case', HASH.toUpperCase()],
  ['63 digits', HASH.slice(1)],
  ['65 digits', `${HASH}a`],
  ['quotes', `"${HASH}"`],
  ['a trailing newline', `${HASH}\n`],
  ['another letter', `g${HASH.slice(1)}`],
  ['a full-width digit', `\uff11${HASH.slice(1)}`],
  ['nothing', ''],
])('does not read %s as a version hash', (_what, text) => {
  expect(parseVersionHash(text)).toBeNull();
});
