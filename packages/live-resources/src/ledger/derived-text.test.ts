import { describe, expect, it } from 'vitest';
import { PARTITION } from '../../testing/sample-facts.ts';
import { definePartition } from '../partition.ts';
import { parseDerivedText } from './derived-text.ts';

const WORDS = 'Walk, then bathe.';
// Here what may be spoken sorts before what may not.
const OTHER_ORDER = definePartition({
  audiences: [
    { audience: 'user', scheme: 'a', readScope: 'read.user', speakable: true },
    { audience: 'assistant', scheme: 'b', readScope: 'read.assistant', speakable: false },
  ],
  writeScope: 'write',
});

it('belongs to the lane of what it cites, and cites each version once, in order', () => {
  const citations = ['fact://ray/walk/v2', 'fact://ray/bath/v1', 'fact://ray/walk/v2'];
  const parsed = parseDerivedText(PARTITION, { words: WORDS, citations });
  expect(parsed?.text).toMatchObject({
    subject: 'ray',
    audience: 'user',
    words: WORDS,
    citations: [
      { uri: 'fact://ray/bath', version: 1 },
      { uri: 'fact://ray/walk', version: 2 },
    ],
  });
  const again = parseDerivedText(PARTITION, { words: WORDS, citations: citations.toReversed() });
  expect(again?.text.id).toBe(parsed?.text.id);
  const other = parseDerivedText(PARTITION, { words: `${WORDS} `, citations });
  expect(other?.text.id).not.toBe(parsed?.text.id);
});

describe('a text', () => {
  it.each([
    ['two subjects', PARTITION, ['fact://kim/walk/v1', 'fact://ray/walk/v1']],
    ['two audiences', PARTITION, ['fact://ray/walk/v1', 'fact-internal://ray/risk/v1']],
    ['two audiences, the speakable first', OTHER_ORDER, ['a://ray/walk/v1', 'b://ray/risk/v1']],
    ['a scheme that is none', PARTITION, ['other://ray/walk/v1']],
    ['more than it may', PARTITION, Array.from({ length: 257 }, (_, at) => `fact://ray/walk/v${at + 1}`)],
  ])('is none that cites %s', (_what, partition, citations) => {
    expect(parseDerivedText(partition, { words: WORDS, citations })).toBeNull();
  });
});
