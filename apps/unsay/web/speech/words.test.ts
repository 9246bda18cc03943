import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstWordOfNewValue, wordAt, wordsOf } from './words.ts';

test('words keep their punctuation and their place', () => {
  expect(wordsOf('  Half weight,\n2.5 kg. ')).toEqual([
    { text: 'Half', start: 2, end: 6 },
    { text: 'weight,', start: 7, end: 14 },
    { text: '2.5', start: 15, end: 18 },
    { text: 'kg.', start: 19, end: 22 },
  ]);
});

test('no word is lost, invented or moved', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const words = wordsOf(text);
      expect(words.map(({ text: word }) => word).join('')).toBe(text.replace(/\s+/gu, ''));
      for (const word of words) expect(text.slice(word.start, word.end)).toBe(word.text);
    }),
  );
});

test('a boundary falls on the word that holds it, or on the one after the space', () => {
  const words = wordsOf('one two three');
  expect([0, 2, 3, 4, 7, 8, 12, 13, 99].map((at) => wordAt(words, at))).toEqual([0, 0, 1, 1, 2, 2, 2, 2, 2]);
  expect(wordAt([], 0)).toBe(-1);
});

test('the new value begins after the old words, even where they are alike', () => {
  const sentence =
    'Stop. I take back: “You may walk” It now says: “You may walk with a frame” Changed just now.';
  expect(firstWordOfNewValue(sentence, 'You may walk with a frame')).toBe(10);
  expect(firstWordOfNewValue('Stop. I said: “Lift five” It now says: “Lift”', 'Lift')).toBe(8);
});

test('a value that is not in the sentence asks for all of it', () => {
  expect(firstWordOfNewValue('Nothing replaces it yet.', 'Something')).toBe(4);
  expect(firstWordOfNewValue('Nothing replaces it yet.', '')).toBe(4);
});
