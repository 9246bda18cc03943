import { sampleFact, versionAfter } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { createKnownHeads } from './known-heads.ts';

const walking = versionAfter({ fact: null, lane: null }, sampleFact('user', 'ray', 'walking'), {});
const risk = versionAfter({ fact: null, lane: null }, sampleFact('assistant', 'ray', 'risk'), {});

it('knows for one audience nothing of what another one asked for', () => {
  const heads = createKnownHeads();
  heads.set(risk, risk.audience, risk);
  expect(heads.get(risk, walking.audience)).toBeUndefined();
  heads.set(risk, walking.audience, null);
  expect(heads.get(risk, walking.audience)).toBeNull();
  expect(heads.get(risk, risk.audience)).toEqual({ version: 1, versionHash: risk.versionHash });
});

it('is bounded, and forgets what was not asked for the longest', () => {
  const heads = createKnownHeads();
  for (let index = 0; index < 4_096; index += 1)
    heads.set(sampleFact('user', 'ray', `topic-${index}`), walking.audience, walking);
  expect(heads.get(sampleFact('user', 'ray', 'topic-0'), walking.audience)).not.toBeUndefined();
  heads.set(sampleFact('user', 'ray', 'one-more'), walking.audience, null);
  expect(heads.get(sampleFact('user', 'ray', 'topic-0'), walking.audience)).not.toBeUndefined();
  expect(heads.get(sampleFact('user', 'ray', 'topic-1'), walking.audience)).toBeUndefined();
});
