import type { Fact } from '../live/fact.ts';
import type { Revision, Withdrawal } from './publish.ts';

/** What a person is writing. */
export interface Draft {
  /** The head that the editor has shown; publication is conditional on it. */
  readonly base: Fact;
  /** A newer head that has appeared since; null when `base` is the newest known. */
  readonly newer: Fact | null;
  readonly value: string;
  readonly authorId: string;
  readonly authorLabel: string;
  /** `datetime-local` text in this browser's time zone; empty for none. */
  readonly reviewBy: string;
}

/** Who wrote last on this page, so that it need not be typed for each fact. */
export type Author = Pick<Draft, 'authorId' | 'authorLabel'>;

export function openDraft(fact: Fact, author: Author): Draft {
  return { base: fact, newer: null, value: fact.value, reviewBy: reviewDateOf(fact), ...author };
}

/** Whether anything would be lost if the draft were thrown away. */
export function isDirty(draft: Draft): boolean {
  return draft.value !== draft.base.value || draft.reviewBy !== reviewDateOf(draft.base);
}

/** A head was read. What the person typed stays as it is. */
export function meetHead(draft: Draft, head: Fact): Draft {
  return head.version > draft.base.version ? { ...draft, newer: head } : draft;
}

/** The newest head that is known: what listeners will have heard. */
export function newestOf({ base, newer }: Draft): Fact {
  return newer ?? base;
}

/** The newer head has been put before the person, who may now publish over it. */
export function acceptNewer(draft: Draft): Draft {
  return draft.newer === null ? draft : { ...draft, base: draft.newer, newer: null };
}

/** What stands in the way of publication, in words; null when nothing does. */
export function obstacle(draft: Draft): string | null {
  if (draft.value.trim() === '') return 'Write what the fact says now. An empty fact cannot be published.';
  const unnamed = withdrawalObstacle(draft);
  if (unnamed !== null) return unnamed;
  if (draft.reviewBy !== '' && instantOf(draft.reviewBy) === null) return 'The review date is not a date.';
  return null;
}

/** What stands in the way of taking the fact back, in words; null when nothing does. */
export function withdrawalObstacle(draft: Draft): string | null {
  return draft.authorId.trim() === '' ? 'Say who is writing: the author is part of the record.' : null;
}

/** What is sent to publish the draft. */
export function writeBodyOf(draft: Draft): Revision {
  const staleAfter = instantOf(draft.reviewBy);
  return {
    ...authoredBy(draft),
    value: draft.value.trim(),
    ...(staleAfter === null ? {} : { staleAfter }),
  };
}

/** What is sent to take the fact back with nothing in its place. */
export function withdrawalOf(draft: Draft): Withdrawal {
  return { ...authoredBy(draft), withdraw: true };
}

/**
 * What is sent to see the sentences of a draft; null while there are no words. No sentence names the author's
 * id, so a draft that has none yet is given one.
 */
export function previewBodyOf(draft: Draft): Revision | null {
  if (draft.value.trim() === '') return null;
  const authorId = draft.authorId.trim() === '' ? 'not named yet' : draft.authorId;
  return writeBodyOf({ ...draft, authorId });
}

function authoredBy({ base, authorId, authorLabel }: Draft): Omit<Revision, 'value' | 'staleAfter'> {
  const label = authorLabel.trim();
  return {
    uri: base.uri,
    authorId: authorId.trim(),
    ...(label === '' ? {} : { authorLabel: label }),
  };
}

function instantOf(local: string): string | null {
  const at = Date.parse(local);
  return Number.isNaN(at) ? null : new Date(at).toISOString();
}

/** A review date that has passed is not proposed again: the new words would be past it at once. */
function reviewDateOf(fact: Fact): string {
  return fact.stale ? '' : localTime(fact.staleAfter);
}

/** An ISO instant as `datetime-local` text; empty for none. */
function localTime(instant: string | null): string {
  const at = new Date(instant ?? Number.NaN);
  if (Number.isNaN(at.getTime())) return '';
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${day}T${two(at.getHours())}:${two(at.getMinutes())}`;
}
