import { hash } from 'node:crypto';
import canonicalize from 'canonicalize';
import type { Blob, VersionContent, VersionHash } from './version.ts';

/** Names the tuple below in every hash, so that another tuple can never be mistaken for it. */
export const TUPLE_FORMAT = 'unsay-version/1';

/** Bytes of a salt: as many as the hash, so that a commitment hides any value, however short. */
export const SALT_LENGTH = 32;

/** The hashed tuple (docs/spec/chain.md). Commitments are lower-case hex. */
export interface VersionTuple {
  readonly format: typeof TUPLE_FORMAT;
  readonly laneOrdinal: number;
  readonly version: number;
  readonly audience: string;
  readonly prevHash: string | null;
  readonly uriCommitment: string;
  readonly valueCommitment: string | null;
  readonly authorCommitment: string;
  readonly labelCommitment: string;
  readonly attestationCommitment: string | null;
  readonly blobCommitment: string | null;
  readonly writtenAt: string;
  readonly staleAfter: string | null;
  readonly kind: string;
}

type Committed = string | { readonly [name: string]: string };

/**
 * SHA-256(salt ‖ RFC 8785 form of the value), lower-case hex.
 *
 * @throws Error when the salt has another length than {@link SALT_LENGTH}: a variable boundary between
 *   salt and value would make two values share a commitment.
 */
export function commitment(salt: Uint8Array, value: Committed): string {
  if (salt.length !== SALT_LENGTH)
    throw new Error(`a salt has ${SALT_LENGTH} bytes, this one ${salt.length}`);
  return hash('sha256', Buffer.concat([salt, Buffer.from(canonical(value), 'utf8')]), 'hex');
}

/**
 * The tuple of a version: commitments in place of everything that identifies.
 *
 * @throws Error when there is a salt without a value, or a value without a salt.
 */
export function versionTuple(content: VersionContent): VersionTuple {
  const { salts } = content;
  return {
    format: TUPLE_FORMAT,
    laneOrdinal: content.laneOrdinal,
    version: content.version,
    audience: content.audience,
    prevHash: content.prevHash,
    uriCommitment: commitment(salts.uri, content.uri),
    valueCommitment: optional(salts.value, content.value),
    authorCommitment: commitment(salts.author, content.authorId),
    labelCommitment: commitment(salts.label, content.authorLabel),
    attestationCommitment: optional(salts.attestation, content.attestation),
    blobCommitment: optional(salts.blob, content.blob && digestOf(content.blob)),
    writtenAt: content.writtenAt,
    staleAfter: content.staleAfter,
    kind: content.kind,
  };
}

/** SHA-256 of the tuple's RFC 8785 form. */
export function hashTuple(tuple: VersionTuple): VersionHash {
  return hash('sha256', canonical(tuple), 'hex') as VersionHash;
}

/** The hash of a version, computed from its content. */
export function versionHash(content: VersionContent): VersionHash {
  return hashTuple(versionTuple(content));
}

function canonical(value: unknown): string {
  // The canonical form of a string is what JSON.stringify writes (RFC 8785, section 3.2.2.2).
  if (typeof value === 'string' && value.isWellFormed()) return JSON.stringify(value);
  const text = canonicalize(value);
  if (text === undefined) throw new Error('a value that JSON cannot express reached a hash');
  return text;
}

function optional(salt: Uint8Array | null, value: Committed | null): string | null {
  if (salt !== null && value !== null) return commitment(salt, value);
  if (salt !== null || value !== null) throw new Error('a salt without a value, or a value without a salt');
  return null;
}

function digestOf({ mediaType, bytes }: Blob): Committed {
  return { mediaType, sha256: hash('sha256', bytes, 'hex') };
}
