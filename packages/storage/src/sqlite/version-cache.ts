import type { FactKey, FactVersion } from '@unsay/live-resources';

/**
 * Versions that were opened or written lately. A version never changes, so what is here is what is stored; who
 * may read it is decided before anyone asks. Whatever erases a subject must clear it.
 */
export interface VersionCache {
  get(fact: FactKey, version: number): FactVersion | null;
  put(version: FactVersion): void;
}

const MOST_VERSIONS = 512;
// Of the words and the blob together, in bytes at the most: long ones would fill the memory, and gain least.
const LONGEST = 8 * 1024;

/** An empty cache that forgets what was not asked for the longest. */
export function createVersionCache(): VersionCache {
  const versions = new Map<string, FactVersion>();
  return {
    get(fact, version) {
      const key = keyOf(fact, version);
      const found = versions.get(key);
      if (found === undefined) return null;
      versions.delete(key);
      versions.set(key, found);
      return found;
    },
    put(version) {
      if ((version.value ?? '').length * 3 + (version.blob?.bytes.length ?? 0) > LONGEST) return;
      versions.set(keyOf(version, version.version), version);
      const [oldest] = versions.keys();
      if (versions.size > MOST_VERSIONS && oldest !== undefined) versions.delete(oldest);
    },
  };
}

// No name has a slash.
function keyOf({ subject, topic }: FactKey, version: number): string {
  return `${subject}/${topic}/${version}`;
}
