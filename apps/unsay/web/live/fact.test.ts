import { expect, test } from 'vitest';
import { maySpeak, parseFact, topicOf } from './fact.ts';

const meta = {
  'unsay/version': 2,
  'unsay/versionHash': 'ab',
  'unsay/audience': 'user',
  'unsay/value': 'Half weight only.',
  'unsay/spoken': 'Last changed 4 days ago. Half weight only.',
  'unsay/retraction': 'Stop. I take back what I said.',
  'unsay/lastModified': '2026-11-01T09:00:00.000Z',
  'unsay/kind': 'revise',
  'unsay/stale': true,
  'unsay/attested': false,
  'unsay/author': 'your physiotherapist',
};

test('a read gives the value, the exact words to say and the sentence that takes the old ones back', () => {
  const text =
    '[STALE — last changed 4 days ago by your physiotherapist; say this age aloud] Half weight only.';
  expect(parseFact([{ uri: 'care://ray/weight_bearing', text, _meta: meta }])).toEqual({
    uri: 'care://ray/weight_bearing',
    version: 2,
    versionHash: 'ab',
    kind: 'revise',
    audience: 'user',
    value: 'Half weight only.',
    spoken: 'Last changed 4 days ago. Half weight only.',
    retraction: 'Stop. I take back what I said.',
    lastModified: '2026-11-01T09:00:00.000Z',
    staleAfter: null,
    stale: true,
    attested: false,
    author: 'your physiotherapist',
    clip: null,
  });
});

test('without a sentence to say, the given text is said with its age and without its brackets', () => {
  const text = '[STALE — last changed 4 days ago by Sam; say this age aloud] Half weight only.';
  const fact = parseFact([{ uri: 'care://ray/x', text, _meta: { 'unsay/version': 1 } }]);
  expect(fact?.spoken).toBe('STALE — last changed 4 days ago by Sam; say this age aloud. Half weight only.');
});

test('a withdrawn fact has no words of its own, and keeps the sentence to say', () => {
  const withdrawn = {
    ...meta,
    'unsay/kind': 'withdraw',
    'unsay/value': null,
    'unsay/spoken': 'Withdrawn. Ask.',
  };
  const fact = parseFact([
    {
      uri: 'care://ray/x',
      text: '[WITHDRAWN — nothing replaces it yet]',
      _meta: withdrawn,
    },
  ]);
  expect(fact).toMatchObject({ kind: 'withdraw', value: '', spoken: 'Withdrawn. Ask.' });
});

test.each([
  { uri: 'care://ray/x', text: 'no version' },
  { uri: 'care://ray/x', text: 'not a number', _meta: { 'unsay/version': '2' } },
  { uri: 'care://ray/x', _meta: { 'unsay/version': 2 } },
])('%j is no fact', (content) => {
  expect(parseFact([content])).toBeNull();
});

test('only the speakable scheme may be spoken', () => {
  expect(maySpeak('care://ray/gait')).toBe(true);
  expect(maySpeak('care-internal://ray/risk')).toBe(false);
  expect(maySpeak('ui://unsay/device')).toBe(false);
});

test('a topic is named in words', () => {
  expect(topicOf('care://ray/weight_bearing')).toBe('Weight bearing');
  expect(topicOf('care-internal://ray/risk')).toBe('Risk');
});

const clip = { uri: 'care://ray/gait', mimeType: 'audio/wav', blob: 'AAH+', _meta: { 'unsay/version': 2 } };

test('a sound rides with the words of its version, and with no other', () => {
  const words = { uri: 'care://ray/gait', text: 'Slow steps.', _meta: meta };
  expect(parseFact([words, clip])?.clip).toEqual({ mediaType: 'audio/wav', base64: 'AAH+' });
  expect(parseFact([words, { ...clip, _meta: { 'unsay/version': 1 } }])?.clip).toBeNull();
  expect(parseFact([words, { ...clip, mimeType: 'text/html' }])?.clip).toBeNull();
  expect(parseFact([words])?.clip).toBeNull();
});

test('bytes alone are no fact, and neither is nothing', () => {
  expect(parseFact([clip])).toBeNull();
  expect(parseFact([])).toBeNull();
});
