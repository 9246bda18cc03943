import {
  ageOf,
  type BlobInput,
  type DraftFault,
  type DraftInput,
  instant,
  parseDraft,
  parseFactUri,
  parseVersionHash,
  renderText,
  versionUri,
} from '@unsay/live-resources';
import type { OpenFolder } from '../open-folder.ts';
import { type Operation, type OperationResult, type Parameters, refusal, text } from './operation.ts';

/** `unsay read`: what the owner of the folder may read is everything. */
export const readFact: Operation = async ({ live, operator }, parameters) => {
  const outcome = await live.read(operator, text(parameters, 'uri') ?? '');
  if (outcome.kind === 'absent') return absent();
  const { version } = outcome;
  const { uri, version: number, value, authorLabel, writtenAt, versionHash } = version;
  const data = {
    uri,
    version: number,
    value,
    text: renderText(version, live.clock),
    author: authorLabel,
    writtenAt,
    stale: ageOf(version, live.clock).stale,
    versionHash,
  };
  return { ok: true, data };
};

/** `unsay history`: every version of a fact, oldest first. */
export const factHistory: Operation = async ({ live, operator }, parameters) => {
  const target = parseFactUri(text(parameters, 'uri') ?? '');
  const outcome = target && (await live.read(operator, target.uri));
  if (target === null || outcome?.kind !== 'found') return absent();
  const { versions } = await live.store.chain(target);
  return {
    ok: true,
    data: {
      versions: versions.map(({ version, kind, value, authorId, authorLabel, writtenAt, versionHash }) => {
        return {
          uri: versionUri(target.uri, version),
          version,
          kind,
          value,
          authorId,
          author: authorLabel,
          writtenAt,
          versionHash,
        };
      }),
    },
  };
};

/** `unsay write`: publishes as the owner of the folder. A refusal leaves a row in the audit log like any other. */
export const writeFact: Operation = async (folder, parameters) => {
  const { live, operator, trail } = folder;
  const given = text(parameters, 'ifMatch');
  const ifMatch = given === null ? null : parseVersionHash(given);
  const draft = parseDraft(live.partition, draftInput(parameters));
  if (typeof draft === 'string') return refuse(folder, 'malformed', null, DRAFT_FAULTS[draft]);
  const { uri } = draft.target;
  if (given !== null && ifMatch === null) return refuse(folder, 'malformed', uri, IF_MATCH_FAULT);
  const outcome = await live.publish(operator, {
    draft,
    ifMatch,
    nonce: null,
    request: null,
    via: 'control',
    quiet: false,
  });
  switch (outcome.kind) {
    case 'published': {
      trail.accepted(outcome.audit);
      folder.hooks.published(outcome.entry);
      const { version, versionHash, prevHash, writtenAt } = outcome.version;
      return { ok: true, data: { uri, version, versionHash, prevHash, writtenAt } };
    }
    case 'head_moved':
      return refuse(folder, outcome.kind, uri, [
        outcome.head === null ? 'There is no such fact yet.' : `The fact’s head is ${outcome.head}.`,
        'Read it again, and give the hash that history shows.',
      ]);
    case 'absent':
      return refuse(folder, 'not_found', uri, [
        'There is no such fact to take back.',
        'Look at its spelling.',
      ]);
    case 'store_rejected':
      return refuse(folder, outcome.kind, uri, [
        'The fact exists for another audience.',
        'An audience never changes; choose another topic.',
      ]);
    case 'blob_too_large':
      return refuse(folder, 'body_too_large', uri, [
        `A clip may have ${outcome.limit} bytes, and no more.`,
        'Give a shorter one; the limit is UNSAY_BLOB_LIMIT.',
      ]);
    case 'insufficient_scope':
    case 'repeated':
    case 'idempotency_mismatch':
    case 'replayed':
      throw new Error(`the owner of the folder cannot be answered ${outcome.kind}`);
  }
};

function draftInput(parameters: Parameters): DraftInput {
  return {
    uri: text(parameters, 'uri') ?? '',
    value: parameters.withdraw === true ? null : (text(parameters, 'value') ?? ''),
    authorId: text(parameters, 'author') ?? '',
    authorLabel: text(parameters, 'label'),
    staleAfter: text(parameters, 'staleAfter'),
    blob: blobOf(parameters.blob),
  };
}

function blobOf(value: unknown): BlobInput | null {
  if (typeof value !== 'object' || value === null) return null;
  const { mediaType, base64 } = value as Readonly<Record<string, unknown>>;
  return { mediaType: String(mediaType), base64: String(base64) };
}

type Words = readonly [error: string, next: string];

const IF_MATCH_FAULT: Words = ['--if-match is not a version hash.', 'Take the 64 digits that history shows.'];

const DRAFT_FAULTS: Readonly<Record<DraftFault, Words>> = {
  uri: [
    'That is not the address of a fact.',
    'Write it like care://ray/weight_bearing, in lower case, without a version.',
  ],
  value: [
    '--value is empty or is not well-formed text.',
    'Give the words; to take a fact back, give --withdraw.',
  ],
  authorId: ['--author is not a name.', 'Give one printable line of at most 200 characters.'],
  authorLabel: [
    '--label is not a label.',
    'Give one printable line of at most 200 characters, without square brackets.',
  ],
  staleAfter: [
    '--stale-after is not a time.',
    'Give one with a zone, like 2026-12-05T18:00:00Z; a withdrawal has none.',
  ],
  blob: [
    '--blob is empty, or its media type is not one like audio/wav.',
    'Give a file with bytes in it and --media-type in lower case; a withdrawal has no clip.',
  ],
};

async function refuse(
  { live, operator, trail }: OpenFolder,
  reason: 'malformed' | 'not_found' | 'store_rejected' | 'head_moved' | 'body_too_large',
  uri: string | null,
  [error, next]: Words,
): Promise<OperationResult> {
  const at = instant(live.clock.now());
  await trail.refused(
    { at, actor: operator.sub, uri, outcome: 'refused', reason, via: 'control', count: 1 },
    null,
  );
  return refusal(error, next);
}

function absent(): ReturnType<typeof refusal> {
  return refusal(
    'There is no such fact.',
    'A URI looks like care://ray/weight_bearing, or ends in /v1 for a version.',
  );
}
