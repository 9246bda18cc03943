import {
  type Age,
  ageOf,
  type Clock,
  type FactVersion,
  type GlossaryEntry,
  type LiveResources,
  renderRetraction,
  renderSpoken,
  renderText,
} from '@unsay/live-resources';
import type { ContentAnnotations, ReadContent } from './application.ts';
import type { JsonObject } from './json.ts';

/** What a reader who may read it is given of a version, before it is put in words. */
interface Found {
  readonly version: FactVersion;
  readonly head: FactVersion;
  /** The version whose words the head takes back. */
  readonly superseded: FactVersion | null;
}

/**
 * Puts what was found in words: a version's words, and after them the bytes that ride with them. Whoever is given one
 * is given the other.
 *
 * All of it follows from what was found, from the URI and from ages in whole seconds. While these are the same the
 * same object is given again, so that a fact which many read is put in words once a second.
 */
export function contentsOf(
  live: LiveResources,
  glossary: readonly GlossaryEntry[],
): (uri: string, found: Found) => readonly ReadContent[] {
  const last = new WeakMap<
    FactVersion,
    { readonly of: readonly unknown[]; readonly contents: readonly ReadContent[] }
  >();
  return (uri, found) => {
    const { version, head, superseded } = found;
    // One moment for all of it, or the words could be of another second than the one they are kept for.
    const now = live.clock.now();
    const clock: Clock = { now: () => now };
    const age = ageOf(version, clock);
    const headAge = version === head ? age : ageOf(head, clock);
    const of = [uri, head, superseded, age.seconds, age.stale, headAge.seconds, headAge.stale];
    const known = last.get(version);
    if (known?.of.every((part, index) => part === of[index])) return known.contents;
    const retraction = superseded && renderRetraction(superseded, head, clock, glossary);
    const contents = written(live, uri, version, { age, clock, retraction });
    last.set(version, { of, contents });
    return contents;
  };
}

function written(
  live: LiveResources,
  uri: string,
  version: FactVersion,
  said: { readonly age: Age; readonly clock: Clock; readonly retraction: string | null },
): readonly ReadContent[] {
  const { age, clock, retraction } = said;
  const annotations = hints(version, live);
  const standing = standingOf(version, age);
  const words: ReadContent = {
    uri,
    mimeType: 'text/plain',
    text: renderText(version, clock),
    annotations,
    _meta: {
      ...standing,
      'unsay/staleAfter': version.staleAfter,
      'unsay/ageSeconds': age.seconds,
      'unsay/author': version.authorLabel,
      'unsay/value': version.value,
      'unsay/spoken': renderSpoken(version, clock),
      ...(retraction === null ? {} : { 'unsay/retraction': retraction }),
    },
  };
  if (version.blob === null) return [words];
  const { mediaType, bytes } = version.blob;
  return [
    words,
    { uri, mimeType: mediaType, blob: Buffer.from(bytes).toString('base64'), annotations, _meta: standing },
  ];
}

/** A hint for hosts, decided by nobody: what may be read is the partition's business. */
export function hints(fact: FactVersion, { partition }: LiveResources): ContentAnnotations {
  const speakable = partition.rules.some((rule) => rule.audience === fact.audience && rule.speakable);
  return { audience: [speakable ? 'user' : 'assistant'], lastModified: fact.writtenAt };
}

/** What a program can rely on, on every content of a read. */
function standingOf(version: FactVersion, { stale }: Age): JsonObject {
  return {
    'unsay/version': version.version,
    'unsay/versionHash': version.versionHash,
    'unsay/prevHash': version.prevHash,
    'unsay/audience': version.audience,
    'unsay/kind': version.kind,
    'unsay/lastModified': version.writtenAt,
    'unsay/stale': stale,
    'unsay/attested': version.attestation !== null,
  };
}
