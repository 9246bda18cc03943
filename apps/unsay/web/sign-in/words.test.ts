import { expect, test } from 'vitest';
import { shownName, wordsOfProblem, wordsOfRedirect, wordsOfScope } from './words.ts';

test.each(['care.read.user', 'care.read.assistant', 'care.write', 'care.speak', 'care.audit'])(
  '%s has words of its own',
  (scope) => {
    expect(wordsOfScope(scope)).not.toContain(scope);
  },
);

test.each(['care.erase', 'constructor', '__proto__', 'toString'])(
  'the scope %s, without words, is shown and not left out',
  (scope) => {
    expect(wordsOfScope(scope)).toMatch(new RegExp(`^Something .*: ${scope}$`));
  },
);

test.each([
  ['An assistant', 'An assistant'],
  ['Unsay\u202e yasnU', 'Unsay yasnU'],
  ['a\u0000b\nc\u2028d', 'abcd'],
  ['\u200b\u200b', 'An application without a name'],
  ['', 'An application without a name'],
  ['\u3164\u115f\u2800\u00ad', 'An application without a name'],
  ['Un\u034fsay\ufe0f', 'Unsay'],
  ['<b>bold</b>', '<b>bold</b>'],
  ['x'.repeat(10_000), `${'x'.repeat(80)}…`],
  ['👩\u200d⚕\ufe0f', '👩⚕'],
])('the name %j is shown as %j', (name, shown) => {
  expect(shownName(name)).toBe(shown);
});

test('what an address says of a problem is one of two sentences, and never its own words', () => {
  expect(wordsOfProblem(null)).toBeNull();
  expect(wordsOfProblem('not_enrolled')).toContain('Ask whoever runs this server');
  expect(wordsOfProblem('<script>')).not.toContain('script');
});

test.each([
  ['good.example', 'good.example', null],
  ['127.0.0.1:7001', '127.0.0.1:7001', /computer you sit at/],
  ['good.example', '127.0.0.1:7001', /program on the computer you sit at:$/],
  ['good.example', 'localhost', /program on the computer you sit at:$/],
  ['good.example', '[::1]:80', /program on the computer you sit at:$/],
  ['good.example', 'localhost.evil.example', /another address:$/],
  ['good.example', 'evil.example', /another address:$/],
])('of an application at %s whose answer goes to %s', (host, redirectHost, words) => {
  const said = wordsOfRedirect(host, redirectHost);
  if (words === null) expect(said).toBeNull();
  else expect(said).toMatch(words);
});
