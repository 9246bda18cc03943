import { expect, test } from 'vitest';
import { ageInWords } from './age.ts';

const MINUTE = 60_000;

test.each([
  [0, 'just now'],
  [59_999, 'just now'],
  [MINUTE, '1 minute ago'],
  [59 * MINUTE, '59 minutes ago'],
  [60 * MINUTE, '1 hour ago'],
  [47 * 60 * MINUTE, '1 day ago'],
  [72 * 60 * MINUTE, '3 days ago'],
])('%d ms is "%s"', (elapsed, words) => {
  expect(ageInWords(1_000, 1_000 + elapsed)).toBe(words);
});

test('a clock that runs behind the server never shows a future age', () => {
  expect(ageInWords(10 * MINUTE, 0)).toBe('just now');
});
