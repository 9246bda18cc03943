import { createHash } from 'node:crypto';
import { type FactUri, type ParsedFactUri, parseFactUri, versionUri } from '../fact-uri.ts';
import { type AudienceRule, type Lane, type Partition, ruleOfScheme } from '../partition.ts';

/** SHA-256 of a derived text and what it cites, 64 lower-case hex digits. */
export type TextId = string & { readonly __brand: 'TextId' };

/** One version of a fact that a text was made from. */
export interface Citation {
  readonly uri: FactUri;
  readonly topic: ParsedFactUri['topic'];
  readonly version: number;
}

/** A text that was made from facts of one lane, and which of their versions. */
export interface DerivedText extends Lane {
  readonly id: TextId;
  /** The whole text, as it was written. */
  readonly words: string;
  /** In the order of their URIs; at least one. */
  readonly citations: readonly Citation[];
}

/** A derived text as whoever made it describes it. */
export interface DerivedTextInput {
  /** The whole text: not empty, at most 65,536 UTF-16 code units. */
  readonly words: string;
  /** URIs of versions, `…/v<N>`, at most 256. Neither their order nor naming one twice makes a difference. */
  readonly citations: readonly string[];
}

// A briefing, not a library: each citation is a read when the text is told, and a sentence for good.
const LONGEST_TEXT = 64 * 1024;
const MOST_CITATIONS = 256;

/**
 * Checks what a text says of itself. A text belongs to the one lane that all it cites belongs to: there is no
 * way to cite beyond its audience, or beyond its subject.
 *
 * @returns null when it cites nothing, something that is not a version of a fact, or facts of two lanes, or
 *   when its words are none, too many, or not Unicode.
 */
export function parseDerivedText(
  partition: Partition,
  { words, citations }: DerivedTextInput,
): { readonly text: DerivedText; readonly rule: AudienceRule } | null {
  if (words === '' || words.length > LONGEST_TEXT || !words.isWellFormed()) return null;
  if (citations.length > MOST_CITATIONS) return null;
  const parsed = [...new Set(citations)].sort().map(parseFactUri);
  const [first] = parsed;
  const rule = first && ruleOfScheme(partition, first.scheme);
  if (!first || !rule) return null;
  const cited: Citation[] = [];
  for (const citation of parsed) {
    if (citation === null || citation.version === null) return null;
    if (citation.scheme !== first.scheme || citation.subject !== first.subject) return null;
    cited.push({ uri: citation.uri, topic: citation.topic, version: citation.version });
  }
  const text = { subject: first.subject, audience: rule.audience, words, citations: cited };
  return { text: { ...text, id: textId(text) }, rule };
}

function textId({ words, citations }: Omit<DerivedText, 'id'>): TextId {
  const uris = citations.map(({ uri, version }) => versionUri(uri, version));
  return createHash('sha256')
    .update(JSON.stringify([uris, words]), 'utf8')
    .digest('hex') as TextId;
}
