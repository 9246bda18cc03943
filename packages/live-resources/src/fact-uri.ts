/** The bare URI of a fact, in the one spelling that names it: `scheme://subject/topic`. */
export type FactUri = string & { readonly __brand: 'FactUri' };

/**
 * Whom a fact is about. 1 to 64 characters: `a` to `z`, `0` to `9`, `_` and `-`, the first of them a letter
 * or a digit.
 */
export type Subject = string & { readonly __brand: 'Subject' };

/** What a fact is about. Spelled as a {@link Subject} is. */
export type Topic = string & { readonly __brand: 'Topic' };

/** A fact URI taken apart (docs/spec/partition.md). */
export interface ParsedFactUri {
  /** The bare URI, also where a version was named. */
  readonly uri: FactUri;
  /** Without `://`. Whether a partition has it is not asked here. */
  readonly scheme: string;
  readonly subject: Subject;
  readonly topic: Topic;
  /** Null for the bare URI, which means the head. */
  readonly version: number | null;
}

const NAME = '[a-z0-9][a-z0-9_-]{0,63}';
const NAME_ONLY = new RegExp(`^${NAME}$`);
const FACT_URI = new RegExp(`^([a-z][a-z0-9-]{0,63})://(${NAME})/(${NAME})(?:/v([1-9][0-9]{0,8}))?$`);
const LONGEST = 64 + 3 + 64 + 1 + 64 + 2 + 9;

/**
 * Parses a fact URI, optionally with `/v<N>`.
 *
 * There is exactly one accepted spelling: no upper case, no percent-encoding, no leading zero, no
 * trailing slash. Anything else is null, and callers answer null as they answer an absent fact, so that
 * no second spelling can reach a fact past the check that looked at the first one.
 */
export function parseFactUri(text: string): ParsedFactUri | null {
  if (text.length > LONGEST) return null;
  const match = FACT_URI.exec(text);
  if (match === null) return null;
  const [, scheme = '', subject = '', topic = '', version] = match;
  return {
    uri: `${scheme}://${subject}/${topic}` as FactUri,
    scheme,
    subject: subject as Subject,
    topic: topic as Topic,
    version: version === undefined ? null : Number(version),
  };
}

/** Parses a subject id, in the one spelling that a URI may have of it; null for anything else. */
export function parseSubject(text: string): Subject | null {
  return NAME_ONLY.test(text) ? (text as Subject) : null;
}

/** The URI of one version of a fact: the bare one and `/v<N>`. */
export function versionUri(uri: FactUri, version: number): string {
  return `${uri}/v${version}`;
}
