import { copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLocalKeyProvider, type KeyProvider, plaintextProvider, STORE_FILE } from '../src/index.ts';
import { randomness } from './open-sqlite-store.ts';
import { type TemporaryFolder, temporaryFolder } from './temporary-folder.ts';

/** A version of the kept store, as the release that wrote it exported it. */
export interface ExpectedVersion {
  readonly version: number;
  readonly audience: string;
  readonly kind: string;
  readonly laneOrdinal: number;
  readonly value: string | null;
  readonly blob: { readonly mediaType: string; readonly length: number; readonly sha256: string } | null;
  readonly authorId: string;
  readonly authorLabel: string;
  readonly writtenAt: string;
  readonly staleAfter: string | null;
  readonly prevHash: string | null;
  readonly versionHash: string;
}

/** What the first release said was in its store (fixtures/first-release/README.md). */
export interface Expected {
  readonly at: string;
  readonly masterKey: string | null;
  readonly verdict: { readonly versions: number };
  readonly chains: readonly { readonly uri: string; readonly versions: readonly ExpectedVersion[] }[];
  readonly lanes: readonly {
    readonly subject: string;
    readonly audience: string;
    readonly ordinal: number;
  }[];
  readonly audit: {
    readonly rows: number;
    readonly lastHash: string;
    readonly refused: readonly string[];
  };
  readonly counted: readonly { readonly reason: string; readonly via: string; readonly count: number }[];
  readonly usedSignatures: Readonly<Record<'accepted' | 'refused', { readonly nonce: string }>>;
  readonly answeredRequest: {
    readonly id: string;
    readonly requestHash: string;
    readonly nonce: string;
    readonly answer: { readonly uri: string; readonly version: number };
  };
  readonly tokens: { readonly revokedHash: string };
}

/** How the facts of a kept store are stored. */
export type Kept = 'sealed' | 'plain';

/** A copy of a store of the first release, with what is expected of it. */
export interface KeptStore extends TemporaryFolder {
  readonly file: string;
  readonly expected: Expected;
  readonly provider: KeyProvider;
}

/** Copies a store of the first release into a folder of its own. */
export function copyFirstRelease(kept: Kept): KeptStore {
  const fixture = fileURLToPath(new URL(`../fixtures/first-release/${kept}/`, import.meta.url));
  const expected = JSON.parse(readFileSync(join(fixture, 'expected.json'), 'utf8')) as Expected;
  const folder = temporaryFolder();
  const file = join(folder.path, STORE_FILE);
  copyFileSync(join(fixture, STORE_FILE), file);
  const { masterKey } = expected;
  const provider =
    masterKey === null
      ? plaintextProvider
      : createLocalKeyProvider(new Uint8Array(Buffer.from(masterKey, 'hex')), randomness);
  return { ...folder, file, expected, provider };
}
