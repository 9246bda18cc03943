import type { Clock } from './clock.ts';
import { ageInWords, ageOf, staleHeader, withdrawnHeader } from './staleness.ts';
import type { FactVersion } from './version.ts';

/** One entry of a closed glossary: what a term means, in plain words, with no advice in them. */
export interface GlossaryEntry {
  readonly term: string;
  readonly meaning: string;
}

/**
 * The sentences that take back an older version: withdraw first, name the words withdrawn, then the new
 * words with their age and author label, then what a term in them means. The only place that writes such
 * a sentence. Both values stand in it exactly as they were written.
 */
export function renderRetraction(
  previous: FactVersion,
  current: FactVersion,
  clock: Clock,
  glossary: readonly GlossaryEntry[],
): string {
  const { seconds, stale } = ageOf(current, clock);
  const { value, authorLabel } = current;
  // The same words again are a confirmation: taking them back would only confuse.
  const review = stale ? ['That is past its review date.'] : [];
  if (value !== null && value === previous.value) {
    const confirmed = `Confirmed ${ageInWords(seconds)} by ${authorLabel}.`;
    return [`This still holds: “${value}”`, confirmed, ...review].join(' ');
  }
  const said =
    previous.value === null
      ? `Stop. I take back what I said about ${topicInWords(current)}.`
      : `Stop. I take back what I said: “${previous.value}”`;
  if (value === null) return `${said} Nothing replaces it yet. Ask ${authorLabel}.`;
  const age = `Changed ${ageInWords(seconds)} by ${authorLabel}.`;
  return [said, `It now says: “${value}”`, age, ...review, ...glossOf(value, glossary)].join(' ');
}

/** The text of a version as a reader gets it: with its age in front when it is past its review date. */
export function renderText(version: FactVersion, clock: Clock): string {
  const age = ageOf(version, clock);
  if (version.value === null) return withdrawnHeader(version, age);
  return age.stale ? `${staleHeader(version, age)} ${version.value}` : version.value;
}

/** The words a listener hears for a version: past its review date, its age comes first. */
export function renderSpoken(version: FactVersion, clock: Clock): string {
  if (version.value === null)
    return `What was said about ${topicInWords(version)} was withdrawn. Nothing replaces it yet. Ask ${version.authorLabel}.`;
  const age = ageOf(version, clock);
  if (!age.stale) return version.value;
  return `Last changed ${ageInWords(age.seconds)} by ${version.authorLabel}, and past its review date. ${version.value}`;
}

// Who heard of a withdrawal must know of what; the topic is in the address that its reader holds.
function topicInWords({ topic }: FactVersion): string {
  return topic.replaceAll(/[_-]+/g, ' ').trim();
}

function glossOf(value: string, glossary: readonly GlossaryEntry[]): string[] {
  const text = value.toLowerCase();
  return glossary
    .filter(({ term }) => standsIn(text, term.toLowerCase()))
    .map(({ term, meaning }) => `“${term}” means ${meaning}.`);
}

// What a word is made of, hyphens included: "weight-bearing" does not stand in "non-weight-bearing".
const ENDS_IN_WORD = /[\p{L}\p{M}\p{N}\-\u2010\u2011]$/u;
const STARTS_IN_WORD = /^[\p{L}\p{M}\p{N}\-\u2010\u2011]/u;

function standsIn(text: string, term: string): boolean {
  if (term === '') return false;
  for (let at = text.indexOf(term); at !== -1; at = text.indexOf(term, at + 1)) {
    // Two code units, for a letter may take as many.
    const before = text.slice(Math.max(0, at - 2), at);
    const after = text.slice(at + term.length, at + term.length + 2);
    if (!ENDS_IN_WORD.test(before) && !STARTS_IN_WORD.test(after)) return true;
  }
  return false;
}
