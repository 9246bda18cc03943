import { expect, it } from 'vitest';
import { pointersOf, problemOf, readDocument } from './pointers.ts';

const LIMITS = 'docs/limits.md';
const text = readDocument(LIMITS);
const rows = text.split('\n').filter((line) => /^\| (?!not defended|---)/.test(line));

it('each limit has a line with what bounds it', () => {
  expect(rows.length).toBeGreaterThan(12);
  for (const row of rows) {
    const [, what = '', bound = ''] =
      row.split(' | ').length === 2 ? (/^\| (.+) \| (.+) \|$/.exec(row) ?? []) : [];
    expect([row, what.length > 20, bound.length > 20]).toEqual([row, true, true]);
  }
});

it.each([
  'speaks by itself',
  'stolen author key',
  'Timing at the network',
  'within earshot',
  'not medical advice',
  'not a medical device',
  'deletes rows of the ledger',
  'set back to an older state',
  'tail that is cut off',
  'operator of the host',
  'Covert channels',
])('it is said what is not defended: %s', (words) => {
  expect(text).toContain(words);
});

it('every test and file that is pointed to is there', () => {
  const pointers = pointersOf(LIMITS, text);
  expect(pointers.filter(({ test }) => test !== null).length).toBeGreaterThan(12);
  expect(pointers.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
});
