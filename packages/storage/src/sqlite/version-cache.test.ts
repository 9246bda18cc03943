import { sampleFact, versionAfter } from '@unsay/live-resources/testing';
import { describe, expect, it } from 'vitest';
import { createVersionCache } from './version-cache.ts';

const fact = sampleFact('user', 'ray', 'walking');
const first = (topic: string, value = 'said') =>
  versionAfter({ fact: null, lane: null }, sampleFact('user', 'ray', topic), { value });

describe('the version cache', () => {
  it('gives back what was put, by fact and number, and nothing else', () => {
    const cache = createVersionCache();
    const version = first('walking');
    cache.put(version);
    expect(cache.get(fact, 1)).toBe(version);
    expect(cache.get(fact, 2)).toBeNull();
    expect(cache.get(sampleFact('user', 'ray', 'stairs'), 1)).toBeNull();
    expect(cache.get(sampleFact('user', 'eve', 'walking'), 1)).toBeNull();
  });

  it('is bounded, and forgets what was not asked for the longest', () => {
    const cache = createVersionCache();
    for (let index = 0; index < 512; index += 1) cache.put(first(`topic-${index}`));
    expect(cache.get(sampleFact('user', 'ray', 'topic-0'), 1)).not.toBeNull();
    cache.put(first('one-more'));
    expect(cache.get(sampleFact('user', 'ray', 'topic-0'), 1)).not.toBeNull();
    expect(cache.get(sampleFact('user', 'ray', 'topic-1'), 1)).toBeNull();
  });

  it('does not keep long words', () => {
    const cache = createVersionCache();
    cache.put(first('walking', 'x'.repeat(8 * 1024)));
    expect(cache.get(fact, 1)).toBeNull();
  });
});
