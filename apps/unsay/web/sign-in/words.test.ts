import { expect, test } from 'vitest';
import { shownName, wordsOfProblem, wordsOfScope } from './words.ts';

test.each(['care.read.user', 'care.read.assistant', 'care.write', 'care.speak', 'care.audit'])(
  '%s has words of its own',
  (scope) => {
    expect(wordsOfScope(scope)).not.toContain(scope);
  },
);

test('a scope without words is shown and not left out', () => {
  expect(wordsOfScope('care.erase')).toContain('care.erase');
});

test.each([
  ['An assistant', 'An assistant'],
  ['Unsay\u202e yasnU', 'Unsay yasnU'],
  ['a\u0000b\nc\u2028d', 'abcd'],
  ['\u200b\u200b', 'An application without a name'],
  ['', 'An application without a name'],
  ['<b>bold</b>', '<b>bold</b>'],
  ['x'.repeat(10_000), `${'x'.repeat(80)}…`],
  ['👩‍⚕️'.repeat(1), '👩⚕️'],
])('the name %j is shown as %j', (name, shown) => {
  expect(shownName(name)).toBe(shown);
});

test('what an address says of a problem is one of two sentences, and never its own words', () => {
  expect(wordsOfProblem(null)).toBeNull();
  expect(wordsOfProblem('not_enrolled')).toContain('Ask whoever runs this server');
  expect(wordsOfProblem('<script>')).not.toContain('script');
});
