import { createHash } from 'node:crypto';
import {
  type BlobInput,
  type Draft,
  type DraftFault,
  type DraftInput,
  instant,
  type Partition,
  type Principal,
  parseDraft,
  parseVersionHash,
  type RequestKey,
  type VersionHash,
} from '@unsay/live-resources';
import { parseStrictObject } from './strict-json.ts';

/** A checked draft, or what is wrong with the body, in words that repeat nothing of it. */
export type BodyFault = { readonly fault: string };

const REMEMBERED_MS = 24 * 60 * 60 * 1000;

const MEMBERS = new Set(['uri', 'value', 'withdraw', 'authorId', 'authorLabel', 'staleAfter', 'blob']);

/** Reads the body of `POST /write`. */
export function readDraft(partition: Partition, body: Uint8Array): Draft | BodyFault {
  const json = parseStrictObject(body);
  if (json === null)
    return { fault: 'The body must be one JSON object in UTF-8 in which no key stands twice.' };
  if (Object.keys(json).some((name) => !MEMBERS.has(name))) {
    return { fault: `The body may have only these members: ${[...MEMBERS].join(', ')}.` };
  }
  const { uri, authorId, authorLabel = null, staleAfter = null } = json;
  const value = wordsOf(json);
  if (typeof uri !== 'string' || value === undefined || typeof authorId !== 'string') {
    return {
      fault: 'uri and authorId must be strings, and so must value, or "withdraw": true stand in its place.',
    };
  }
  if (!isTextOrNull(authorLabel) || !isTextOrNull(staleAfter)) {
    return { fault: 'authorLabel and staleAfter must be strings where they are given.' };
  }
  const blob = json.blob === undefined ? null : blobOf(json.blob);
  if (blob === 'malformed') return { fault: FAULTS.blob };
  const input: DraftInput = { uri, value, authorId, authorLabel, staleAfter, blob };
  const draft = parseDraft(partition, input);
  return typeof draft === 'string' ? { fault: FAULTS[draft] } : draft;
}

/** Reads `if-match`: one quoted version hash, null when absent, `'malformed'` for anything else. */
export function readIfMatch(header: string | null): VersionHash | null | 'malformed' {
  if (header === null) return null;
  const quoted = /^"([0-9a-f]{64})"$/.exec(header)?.[1];
  return quoted === undefined ? 'malformed' : (parseVersionHash(quoted) ?? 'malformed');
}

/**
 * Reads `idempotency-key`: whose request it is and what it asks for, each as a hash; null when absent. A key
 * belongs to the principal who chose it, so nobody meets another's.
 */
export function readRequestKey(
  header: string | null,
  { sub, clientId }: Principal,
  ifMatch: string | null,
  body: Uint8Array,
  now: number,
): RequestKey | null | 'malformed' {
  if (header === null) return null;
  if (!/^[\x21-\x7e]{1,255}$/.test(header)) return 'malformed';
  const id = createHash('sha256')
    .update(JSON.stringify([sub, clientId, header]))
    .digest('hex');
  const requestHash = createHash('sha256')
    .update(`${ifMatch ?? ''}\n`)
    .update(body)
    .digest('hex');
  return { id, requestHash, expiresAt: instant(now + REMEMBERED_MS) };
}

const FAULTS = {
  uri: 'uri must be scheme://subject/topic, with a known scheme, in lower case and without a version.',
  value: 'value must be text that is not empty and has no lone surrogates.',
  authorId: 'authorId must be one printable line of at most 200 characters.',
  authorLabel: 'authorLabel must be one printable line of at most 200 characters without square brackets.',
  staleAfter: 'staleAfter must be an ISO 8601 date and time with a zone, and has no place in a withdrawal.',
  blob:
    'blob must be {"mediaType", "base64"} and nothing else: a type like audio/wav, in lower case and without ' +
    'parameters, and at least one byte in canonical, padded base64. It has no place in a withdrawal.',
} as const satisfies Record<DraftFault, string>;

function blobOf(value: unknown): BlobInput | 'malformed' {
  if (typeof value !== 'object' || value === null || Object.keys(value).length !== 2) return 'malformed';
  const { mediaType, base64 } = value as Readonly<Record<string, unknown>>;
  return typeof mediaType === 'string' && typeof base64 === 'string' ? { mediaType, base64 } : 'malformed';
}

/** What the fact is to say: text, null for a withdrawal, undefined for a body that says neither or both. */
function wordsOf({ value, withdraw }: Readonly<Record<string, unknown>>): string | null | undefined {
  if (withdraw === undefined) return typeof value === 'string' ? value : undefined;
  return withdraw === true && value === undefined ? null : undefined;
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}
