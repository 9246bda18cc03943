import { type Clock, epochMs, instant } from './clock.ts';
import type { Draft } from './draft.ts';
import { versionUri } from './fact-uri.ts';
import { factUri } from './partition.ts';
import type { Randomness } from './randomness.ts';
import type { Heads } from './store.ts';
import { SALT_LENGTH, versionHash } from './tuple.ts';
import type { FactVersion, Kind, Salts, VersionContent } from './version.ts';

/** Where a version's time, salts and default label come from. */
export interface VersionSources {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** What readers are told of an author who has no label. */
  readonly defaultAuthorLabel: string;
}

/** The version that a draft makes after these heads. Nothing of an earlier version lives on in it. */
export function nextVersion(on: VersionSources, draft: Draft, { fact, lane }: Heads): FactVersion {
  const number = (fact?.version ?? 0) + 1;
  const uri = factUri(draft.rule, draft.target);
  // The server's clock may step back; a lane's time may not.
  const writtenAt = Math.max(on.clock.now(), lane === null ? 0 : epochMs(lane.writtenAt));
  const content: VersionContent = {
    subject: draft.target.subject,
    topic: draft.target.topic,
    uri,
    audience: draft.rule.audience,
    version: number,
    kind: kindOf(number, draft),
    laneOrdinal: (lane?.ordinal ?? 0) + 1,
    value: draft.value,
    blob: draft.blob,
    authorId: draft.authorId,
    authorLabel: draft.authorLabel ?? on.defaultAuthorLabel,
    attestation: null,
    writtenAt: instant(writtenAt),
    staleAfter: draft.staleAfter,
    prevHash: fact?.versionHash ?? null,
    salts: saltsFor(on.randomness, versionUri(uri, number), draft),
  };
  return { ...content, versionHash: versionHash(content) };
}

function kindOf(version: number, draft: Draft): Kind {
  if (version === 1) return 'create';
  return draft.value === null ? 'withdraw' : 'revise';
}

function saltsFor(randomness: Randomness, record: string, { value, blob }: Draft): Salts {
  const salt = (part: string): Uint8Array => randomness.bytes(`salt/${part}`, record, SALT_LENGTH);
  return {
    uri: salt('uri'),
    value: value === null ? null : salt('value'),
    author: salt('author'),
    label: salt('label'),
    attestation: null,
    blob: blob === null ? null : salt('blob'),
  };
}
