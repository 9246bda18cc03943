import type { Fact } from './fact.ts';

/** A speakable fact at a version, for tests. */
export function factOf(uri: string, version: number, override: Partial<Fact> = {}): Fact {
  const value = `New words number ${version}`;
  return {
    uri,
    version,
    versionHash: `hash-${version}`,
    kind: version === 1 ? 'create' : 'revise',
    audience: 'user',
    value,
    spoken: value,
    retraction: version === 1 ? null : retractionOf(version - 1, version),
    lastModified: '2026-11-01T09:00:00.000Z',
    staleAfter: null,
    stale: false,
    attested: false,
    author: 'your care team',
    clip: null,
    ...override,
  };
}

/** The sentence that a sample server gives to take one version back for another. */
export function retractionOf(from: number, to: number): string {
  return `Stop. I said: “New words number ${from}” It now says: “New words number ${to}” Changed just now.`;
}
