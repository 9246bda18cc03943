/** A fact as the server gave it at one version. */
export interface Fact {
  readonly uri: string;
  readonly version: number;
  /** The condition under which an edit of this version may be published. */
  readonly versionHash: string;
  readonly kind: string;
  /** `user` may be spoken; `assistant` may shape an answer and is never spoken. */
  readonly audience: string;
  /** Its own words; empty where it was withdrawn. */
  readonly value: string;
  /** The exact words to say, age first when the fact is past its review date. */
  readonly spoken: string;
  /** The sentence that takes back the version before this one; null for a first version. */
  readonly retraction: string | null;
  /** ISO instant of the server's clock. */
  readonly lastModified: string;
  /** ISO instant from which it has to be reviewed, or null. */
  readonly staleAfter: string | null;
  readonly stale: boolean;
  readonly attested: boolean;
  /** Who wrote it, as this audience may know it. */
  readonly author: string;
  /** A sound that rides with the words, or null. */
  readonly clip: Clip | null;
}

/** A sound as the server gave it. */
export interface Clip {
  readonly mediaType: string;
  readonly base64: string;
}

/** What a read gave. */
export type ReadAnswer =
  | { readonly kind: 'found'; readonly fact: Fact }
  | { readonly kind: 'absent' }
  | { readonly kind: 'failed'; readonly reason: string };

/** One entry of `contents` in a `resources/read` result. */
export interface ResourceContent {
  readonly uri: string;
  readonly mimeType?: string | undefined;
  readonly text?: unknown;
  readonly blob?: unknown;
  readonly _meta?: { readonly [key: string]: unknown } | undefined;
}

/** A fact out of read contents, or null where they are not a fact's. Its words come first. */
export function parseFact([content, ...rest]: readonly ResourceContent[]): Fact | null {
  if (content === undefined) return null;
  const meta = content._meta ?? {};
  const version = meta['unsay/version'];
  const text = content.text;
  if (typeof version !== 'number' || !Number.isSafeInteger(version) || typeof text !== 'string') return null;
  const words = (key: string): string | null => {
    const value = meta[`unsay/${key}`];
    return typeof value === 'string' ? value : null;
  };
  return {
    uri: content.uri,
    version,
    versionHash: words('versionHash') ?? '',
    kind: words('kind') ?? 'revise',
    audience: words('audience') ?? '',
    value: words('value') ?? (meta['unsay/kind'] === 'withdraw' ? '' : text),
    spoken: words('spoken') ?? withoutBrackets(text),
    retraction: words('retraction'),
    lastModified: words('lastModified') ?? '',
    staleAfter: words('staleAfter'),
    stale: meta['unsay/stale'] === true,
    attested: meta['unsay/attested'] === true,
    author: words('author') ?? 'your care team',
    clip: rest.map((part) => clipOf(part, version)).find((clip) => clip !== null) ?? null,
  };
}

/** A sound of this very version; other bytes than sound are nothing that a page could give to a person. */
function clipOf({ mimeType = '', blob, _meta }: ResourceContent, version: number): Clip | null {
  if (typeof blob !== 'string' || !mimeType.startsWith('audio/')) return null;
  return _meta?.['unsay/version'] === version ? { mediaType: mimeType, base64: blob } : null;
}

/** The header of a stale text is for programs; its brackets are not words. */
function withoutBrackets(text: string): string {
  return text.replace(/^\[([^\]]*)\]\s*/, '$1. ');
}

/** Whether a URI is of the kind that may be spoken. */
export function maySpeak(uri: string): boolean {
  return uri.startsWith('care://');
}

/** A fact's topic in words: `care://ray/weight_bearing` is "Weight bearing". */
export function topicOf(uri: string): string {
  const topic = uri.split('/')[3] ?? uri;
  const words = topic.replace(/[_-]+/g, ' ').trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
