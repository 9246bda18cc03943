import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from './canonical-json.ts';
import { PARTS, type Part, type Tuple, type Version } from './records.ts';

/** The only format of the tuple that there is. */
export const TUPLE_FORMAT = 'unsay-version/1';

const SALT = /^[0-9a-f]{64}$/;
/** Parts that every version has. */
const NEVER_ABSENT: ReadonlySet<Part> = new Set(['uri', 'author', 'label']);

/** The tuple of a version, recomputed from its content and salts, or why there is none. */
export function tupleOf(version: Version): Tuple | string {
  const said = committedParts(version);
  if (typeof said === 'string') return said;
  const commitments = new Map<Part, string>();
  for (const part of PARTS) {
    const [salt, value] = [version.salts[part], said[part]];
    if (value === null && NEVER_ABSENT.has(part)) return `has no ${part}`;
    if ((salt === null) !== (value === null))
      return `has a salt without its ${part}, or a ${part} without its salt`;
    if (salt === null || value === null) continue;
    if (!SALT.test(salt)) return `has a malformed salt of its ${part}`;
    commitments.set(part, commitment(salt, value));
  }
  const always = (part: Part): string => commitments.get(part) ?? '';
  const sometimes = (part: Part): string | null => commitments.get(part) ?? null;
  const { laneOrdinal, audience, prevHash, writtenAt, staleAfter, kind } = version;
  return {
    format: TUPLE_FORMAT,
    laneOrdinal,
    version: version.version,
    audience,
    prevHash,
    uriCommitment: always('uri'),
    valueCommitment: sometimes('value'),
    authorCommitment: always('author'),
    labelCommitment: always('label'),
    attestationCommitment: sometimes('attestation'),
    blobCommitment: sometimes('blob'),
    writtenAt,
    staleAfter,
    kind,
  };
}

/** hex(SHA-256(JCS(tuple))). */
export function hashOf(tuple: Tuple): string {
  return sha256(canonicalJson({ ...tuple }));
}

/** hex(SHA-256(salt ‖ JCS(value))); the salt is given in hex. */
export function commitment(salt: string, value: Json): string {
  return sha256(Buffer.from(salt, 'hex'), canonicalJson(value));
}

/** hex(SHA-256) of the pieces, one after the other. */
export function sha256(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

/** What each salt commits to. */
function committedParts(version: Version): Readonly<Record<Part, Json>> | string {
  const { uri, value, authorId, authorLabel, attestation, blob } = version;
  if (value === '') return 'has an empty value';
  let digest: Json = null;
  if (blob !== null) {
    const bytes = Buffer.from(blob.bytes, 'base64');
    // Another spelling of the same bytes would be a change that no hash sees.
    if (bytes.toString('base64') !== blob.bytes) return 'has a blob that is not base64';
    digest = { mediaType: blob.mediaType, sha256: sha256(bytes) };
  }
  return { uri, value, author: authorId, label: authorLabel, attestation, blob: digest };
}
