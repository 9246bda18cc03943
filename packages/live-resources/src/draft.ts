import { type Instant, parseInstant } from './clock.ts';
import { type BlobInput, parseBlob } from './draft-blob.ts';
import { type ParsedFactUri, parseFactUri } from './fact-uri.ts';
import { type AudienceRule, type Partition, ruleOfScheme } from './partition.ts';
import type { Blob } from './version.ts';

/** What someone wants a fact to say, with every part checked. */
export interface Draft {
  readonly target: ParsedFactUri;
  readonly rule: AudienceRule;
  /** The words, or null to take the fact back with nothing in its place. */
  readonly value: string | null;
  /** Bytes that ride with the words; null takes those of the version before away. */
  readonly blob: Blob | null;
  /** Who wrote it, for the record alone: at most 200 UTF-16 code units on one printable line. */
  readonly authorId: string;
  /** What its audience is told of who wrote it; null for the default of the application. */
  readonly authorLabel: string | null;
  /** From then on the fact is given with its age. */
  readonly staleAfter: Instant | null;
}

/** The parts of a draft as they arrive. */
export interface DraftInput {
  /** The bare URI of a fact of the partition. */
  readonly uri: string;
  /** Null for a withdrawal. */
  readonly value: string | null;
  readonly authorId: string;
  /** Null for the default of the application. */
  readonly authorLabel: string | null;
  /** An ISO 8601 date and time with a zone, from which the fact is given with its age; null for never. */
  readonly staleAfter: string | null;
  readonly blob?: BlobInput | null;
}

/** Which part of a draft is malformed. The words that were sent are not repeated. */
export type DraftFault = 'uri' | 'value' | 'authorId' | 'authorLabel' | 'staleAfter' | 'blob';

const LONGEST_NAME = 200;
// A label stands inside sentences and headers: nothing in it may end or reorder them, or say to a machine
// what a person does not see. Joiners have no other use than to shape the letters of many scripts.
const UNPRINTABLE = /(?!\u200c|\u200d)[\p{C}\p{Zl}\p{Zp}]/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * Checks a draft. A value is any well-formed text but the empty one and is kept to the letter, or null for
 * a withdrawal; names are one printable line; a withdrawal has neither review date nor blob. How large a
 * blob may be is for publication to say.
 */
export function parseDraft(partition: Partition, input: DraftInput): Draft | DraftFault {
  const target = parseFactUri(input.uri);
  const rule = target && ruleOfScheme(partition, target.scheme);
  if (target === null || rule === null || target.version !== null) return 'uri';
  if (input.value === '' || input.value?.isWellFormed() === false) return 'value';
  if (!isName(input.authorId)) return 'authorId';
  if (input.authorLabel !== null && (!isName(input.authorLabel) || /[[\]]/.test(input.authorLabel)))
    return 'authorLabel';
  const staleAfter = input.staleAfter === null ? null : parseInstant(input.staleAfter);
  // What says nothing does not grow old.
  if (input.staleAfter !== null && (staleAfter === null || input.value === null)) return 'staleAfter';
  const blob = input.blob ? parseBlob(input.blob) : null;
  if (input.blob && (blob === null || input.value === null)) return 'blob';
  const { value, authorId, authorLabel } = input;
  return { target, rule, value, blob, authorId, authorLabel, staleAfter };
}

function isName(text: string): boolean {
  return text.length <= LONGEST_NAME && VISIBLE.test(text) && !UNPRINTABLE.test(text);
}
