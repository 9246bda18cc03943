import type { Instant } from './clock.ts';
import type { FactUri } from './fact-uri.ts';
import type { Audience, FactKey } from './partition.ts';

/** SHA-256 of a version's tuple, 64 lower-case hex digits. */
export type VersionHash = string & { readonly __brand: 'VersionHash' };

const VERSION_HASH = /^[0-9a-f]{64}$/;

/** Reads a version hash, or null. */
export function parseVersionHash(text: string): VersionHash | null {
  return VERSION_HASH.test(text) ? (text as VersionHash) : null;
}

/** What a version does to its fact. The first is always `create`. */
export type Kind = 'create' | 'revise' | 'withdraw';

/** Bytes that ride with a fact's value. */
export interface Blob {
  readonly mediaType: string;
  readonly bytes: Uint8Array;
}

/** One random salt for each commitment of a version, 32 bytes each; null where nothing is committed to. */
export interface Salts {
  readonly uri: Uint8Array;
  readonly value: Uint8Array | null;
  readonly author: Uint8Array;
  readonly label: Uint8Array;
  readonly attestation: Uint8Array | null;
  readonly blob: Uint8Array | null;
}

/** What a version commits to and hashes, before the hash is known. */
export interface VersionContent extends FactKey {
  readonly uri: FactUri;
  readonly audience: Audience;
  /** 1, 2, 3… within the fact. */
  readonly version: number;
  readonly kind: Kind;
  /** 1, 2, 3… within the lane; the lane's size after this version. */
  readonly laneOrdinal: number;
  /** The exact words, or null for a withdrawal. */
  readonly value: string | null;
  readonly blob: Blob | null;
  /** The private identity of who wrote. Never shown to a reader. */
  readonly authorId: string;
  /** What this version's audience is told of who wrote. */
  readonly authorLabel: string;
  /** The author's signed statement in canonical JSON, or null when authorship is only claimed. */
  readonly attestation: string | null;
  readonly writtenAt: Instant;
  /** From then on the fact is served with its age. */
  readonly staleAfter: Instant | null;
  readonly prevHash: VersionHash | null;
  readonly salts: Salts;
}

/** One immutable state of a fact. */
export interface FactVersion extends VersionContent {
  readonly versionHash: VersionHash;
}
