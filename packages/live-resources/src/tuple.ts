import { createHash, hash } from 'node:crypto';
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
  return createHash('sha256').update(salt).update(canonical(value), 'utf8').digest('hex');
}

/**
 * The tuple of a version: commitments in place of everything that identifies.
 *
 * @throws Error when there is a salt without a value, or a value without a salt.
 */
export function versionTuple(content: VersionContent): VersionTuple {
  const { salts } = content;
  // In the order of their names: then what JSON.stringify writes is the canonical form, see `versionHash`.
  return {
    attestationCommitment: optional(salts.attestation, content.attestation),
    audience: content.audience,
    authorCommitment: commitment(salts.author, content.authorId),
    blobCommitment: optional(salts.blob, content.blob && digestOf(content.blob)),
    format: TUPLE_FORMAT,
    kind: content.kind,
    labelCommitment: commitment(salts.label, content.authorLabel),
    laneOrdinal: content.laneOrdinal,
    prevHash: content.prevHash,
    staleAfter: content.staleAfter,
    uriCommitment: commitment(salts.uri, content.uri),
    valueCommitment: optional(salts.value, content.value),
    version: content.version,
    writtenAt: content.writtenAt,
  };
}

/** SHA-256 of the tuple's RFC 8785 form. */
export function hashTuple(tuple: VersionTuple): VersionHash {
  return hash('sha256', canonical(tuple), 'hex') as VersionHash;
}

/** The hash of a version, computed from its content. */
export function versionHash(content: VersionContent): VersionHash {
  const text = JSON.stringify(versionTuple(content));
  // The canonical form sorts names, and writes strings and whole numbers as JSON.stringify does (RFC 8785, section
  // 3.2.2). It refuses a lone surrogate, which is escaped here; nothing else in a tuple ever is.
  if (text.includes('\\') || !isWhole(content.version) || !isWhole(content.laneOrdinal))
    throw new Error('a value that JSON cannot express reached a hash');
  return hash('sha256', text, 'hex') as VersionHash;
}

function isWhole(value: number): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0);
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
