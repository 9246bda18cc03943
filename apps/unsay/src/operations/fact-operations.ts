import {
  ageOf,
  parseDraft,
  parseFactUri,
  parseVersionHash,
  staleHeader,
  versionUri,
} from '@unsay/live-resources';
import { type Operation, refusal, text } from './operation.ts';

/** `unsay read`: what the owner of the folder may read is everything. */
export const readFact: Operation = async ({ live, operator }, parameters) => {
  const outcome = await live.read(operator, text(parameters, 'uri') ?? '');
  if (outcome.kind === 'absent') return absent();
  const { version } = outcome;
  const { uri, version: number, value, authorLabel, writtenAt, versionHash } = version;
  const age = ageOf(version, live.clock);
  const spoken = `${age.stale ? `${staleHeader(version, age)} ` : ''}${value ?? ''}`;
  const data = {
    uri,
    version: number,
    value,
    text: spoken,
    author: authorLabel,
    writtenAt,
    stale: age.stale,
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

/** `unsay write`: publishes as the system writer of the folder. */
export const writeFact: Operation = async (folder, parameters) => {
  const { live, operator } = folder;
  const draft = parseDraft(live.partition, {
    uri: text(parameters, 'uri') ?? '',
    value: parameters.withdraw === true ? null : (text(parameters, 'value') ?? ''),
    authorId: text(parameters, 'author') ?? '',
    authorLabel: text(parameters, 'label'),
    staleAfter: text(parameters, 'staleAfter'),
  });
  if (typeof draft === 'string') return refusal(`The ${draft} is malformed.`, 'See unsay write --help.');
  const given = text(parameters, 'ifMatch');
  const ifMatch = given === null ? null : parseVersionHash(given);
  if (given !== null && ifMatch === null)
    return refusal('--if-match is not a version hash.', 'Take it from unsay history.');
  const outcome = await live.publish(operator, {
    draft,
    ifMatch,
    nonce: null,
    request: null,
    via: 'control',
    quiet: false,
  });
  if (outcome.kind !== 'published') return refused(outcome);
  folder.hooks.published(outcome.entry);
  const { uri, version, versionHash, prevHash, writtenAt } = outcome.version;
  return { ok: true, data: { uri, version, versionHash, prevHash, writtenAt } };
};

function refused(outcome: {
  readonly kind: string;
  readonly head?: string | null;
}): ReturnType<typeof refusal> {
  if (outcome.kind === 'head_moved') {
    return refusal(
      `The fact’s head is ${outcome.head ?? 'not there yet'}.`,
      'Read it again and give that hash.',
    );
  }
  if (outcome.kind === 'absent')
    return refusal('There is no such fact to take back.', 'Look for it with unsay read.');
  return refusal('The fact exists for another audience.', 'An audience never changes; choose another topic.');
}

function absent(): ReturnType<typeof refusal> {
  return refusal(
    'There is no such fact.',
    'A URI looks like care://ray/weight_bearing, or ends in /v1 for a version.',
  );
}
