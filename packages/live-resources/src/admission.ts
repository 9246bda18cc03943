import type { Draft } from './draft.ts';
import type { Partition } from './partition.ts';
import { type Principal, writeRight } from './principal.ts';
import type { FactVersion, VersionHash } from './version.ts';

/** Why a draft is not published. */
export type DraftRefusal =
  | { readonly kind: 'insufficient_scope' }
  /** The writer may not know the subject's facts, or there is nothing to withdraw. */
  | { readonly kind: 'absent' }
  /** The blob has more bytes than the ceiling. */
  | { readonly kind: 'blob_too_large'; readonly limit: number }
  /** The fact exists for another audience. */
  | { readonly kind: 'store_rejected' }
  /** The writer saw another head than this one. */
  | { readonly kind: 'head_moved'; readonly head: VersionHash | null };

/** What is said to a writer before any fact is looked up; null when nothing stands in the way. */
export function refusalUnseen(
  partition: Partition,
  blobLimit: number,
  principal: Principal,
  { target, blob }: Draft,
): DraftRefusal | null {
  const right = writeRight(partition, principal, target.subject);
  if (right !== 'allowed') return { kind: right };
  if (blob !== null && blob.bytes.length > blobLimit) return { kind: 'blob_too_large', limit: blobLimit };
  return null;
}

/** What is said to a writer in view of the fact's head; null when nothing stands in the way. */
export function refusalOver(
  head: FactVersion | null,
  { rule, value }: Draft,
  ifMatch: VersionHash | null,
): DraftRefusal | null {
  if (head !== null && head.audience !== rule.audience) return { kind: 'store_rejected' };
  if (ifMatch !== null && ifMatch !== head?.versionHash)
    return { kind: 'head_moved', head: head?.versionHash ?? null };
  if (head === null && value === null) return { kind: 'absent' };
  return null;
}
