import { type ChainReplay, type Head, replayChain } from './chain.ts';
import { parseFactUri } from './fact-uri.ts';
import type { ExportRecord, Tuple } from './records.ts';

type VersionRecord = Extract<ExportRecord, { type: 'version' | 'erased' }>;

/** Replays the chains of all facts at once. */
export interface ChainsCheck {
  /** Says what a fact's head is. */
  head(fact: Head & { readonly uri: string }): void;
  /** The next version, with its tuple when its hash is that of it; gives the scheme of its URI when that is sound. */
  next(record: VersionRecord, tuple: Tuple | null): string | null;
  /** How many facts there are. */
  count(): number;
  /** The facts whose chain is not intact, by URI. */
  end(): { readonly uri: string; readonly version: number }[];
}

/** No fact yet. */
export function checkChains(): ChainsCheck {
  const chains = new Map<string, ChainReplay>();
  const uriOfKey = new Map<string, string>();
  // A version of a fact that the file names no head of follows no head at all.
  const NO_HEAD: Head = { version: 0, versionHash: '' };

  function chainOf(uri: string): ChainReplay {
    const chain = chains.get(uri) ?? replayChain(NO_HEAD);
    chains.set(uri, chain);
    return chain;
  }

  /** Whether a version's URI is that of its subject and topic, and the only one of theirs. */
  function isFiled(record: VersionRecord): boolean {
    if (record.type === 'erased') return true;
    const name = parseFactUri(record.uri);
    if (name === null || name.subject !== record.subject || name.topic !== record.topic) return false;
    const key = `${name.subject}/${name.topic}`;
    const first = uriOfKey.get(key) ?? record.uri;
    uriOfKey.set(key, first);
    return first === record.uri;
  }

  return {
    head({ uri, version, versionHash }) {
      // Two lines of one fact are out of order, which the frame says.
      if (!chains.has(uri)) chains.set(uri, replayChain({ version, versionHash }));
    },
    next(record, tuple) {
      const sound = isFiled(record) && tuple !== null;
      const uri = record.type === 'erased' ? null : record.uri;
      chainOf(record.uri).next(sound ? { tuple, versionHash: record.versionHash, uri } : null);
      return sound && uri !== null ? (parseFactUri(uri)?.scheme ?? null) : null;
    },
    count: () => chains.size,
    end: () =>
      [...chains].flatMap(([uri, chain]) => {
        const verdict = chain.end();
        return verdict.intact ? [] : [{ uri, version: verdict.brokenAt }];
      }),
  };
}
