import {
  createCursorCodec,
  createLiveResources,
  type FactStore,
  type FactVersion,
  type LiveResources,
  type Nonce,
  type Publication,
  type PublishOutcome,
  parseDraft,
  parseFactUri,
  type RequestKey,
} from '@unsay/live-resources';
import { later, nonceOf, PARTITION, START } from '@unsay/live-resources/testing';
import { randomness } from './open-sqlite-store.ts';

/** One publication of a test: always the same words, under a nonce and a request of its own. */
export interface SamplePublication {
  readonly name: string;
  readonly uri: string;
  /** Null withdraws. */
  readonly value: string | null;
}

/** Every kind of publication: the first of a subject, with its key, then one of more than a page, then none. */
export const PUBLICATIONS: readonly SamplePublication[] = [
  { name: 'first', uri: 'fact://mia/diet', value: 'Soft food.' },
  { name: 'revision', uri: 'fact://mia/diet', value: `Any food. ${'Chew it well. '.repeat(800)}` },
  { name: 'withdrawal', uri: 'fact://mia/diet', value: null },
];

/** Publications of several lanes, two of a new subject, which may share a transaction. */
export const SIDE_BY_SIDE: readonly SamplePublication[] = [
  { name: 'speakable', uri: 'fact://mia/diet', value: 'Soft food.' },
  { name: 'internal', uri: 'fact-internal://mia/risk', value: `Swallows badly. ${'Sit up. '.repeat(800)}` },
  { name: 'known', uri: 'fact://ray/walking', value: 'Walk again.' },
];

const WRITER = {
  sub: 'writer-1',
  clientId: 'client-1',
  scopes: new Set(['read.user', 'read.assistant', 'write']),
  subjects: '*',
} as const;

/** Two minutes after sample stores begin, so that earlier counts of refusals are due. */
const NOW = later(START, 120_000);

/** The nonce of a publication; a retry has another. */
export function nonceFor({ name }: SamplePublication, attempt = 1): Nonce {
  return nonceOf(`nonce of the ${name}, attempt ${attempt}`, NOW);
}

/** The request that a publication is, the same for a retry. */
export function requestFor({ name }: SamplePublication): RequestKey {
  return {
    id: `request of the ${name}`,
    requestHash: `hash of the ${name}`,
    expiresAt: later(NOW, 86_400_000),
  };
}

/** Live resources over a store. */
export function liveOn(store: FactStore): LiveResources {
  return createLiveResources({
    partition: PARTITION,
    store,
    clock: { now: () => Date.parse(NOW) },
    randomness,
    cursors: createCursorCodec(new Uint8Array(32).fill(7)),
    defaultAuthorLabel: 'your care team',
  });
}

/** Publishes one of them. */
export function attemptOn(
  live: LiveResources,
  sample: SamplePublication,
  attempt = 1,
): Promise<PublishOutcome> {
  return live.publish(WRITER, publicationOf(sample, attempt));
}

/** Publishes one of them; throws unless a new version was written. */
export async function publishOn(live: LiveResources, sample: SamplePublication): Promise<FactVersion> {
  const outcome = await attemptOn(live, sample);
  if (outcome.kind !== 'published') throw new Error(`the ${sample.name} was not published: ${outcome.kind}`);
  return outcome.version;
}

/**
 * What a store holds of a publication: `all` of version, request and nonce, or `nothing`. Asking uses its nonce
 * up, and a retry takes another.
 */
export async function heldOf(
  store: FactStore,
  sample: SamplePublication,
): Promise<'all' | 'nothing' | 'a part'> {
  const answered = await store.answered(requestFor(sample).id);
  const fact = parseFactUri(sample.uri);
  const version = answered && fact && (await store.version(fact, answered.version));
  const refusal = {
    at: NOW,
    actor: null,
    uri: null,
    outcome: 'refused',
    reason: null,
    via: 'hmac',
    count: 1,
  } as const;
  const nonce = (await store.record(refusal, nonceFor(sample))) === 'replayed';
  if (answered === null && !nonce) return 'nothing';
  return nonce && version?.value === sample.value ? 'all' : 'a part';
}

function publicationOf(sample: SamplePublication, attempt: number): Publication {
  const draft = parseDraft(PARTITION, {
    uri: sample.uri,
    value: sample.value,
    authorId: 'author-1',
    authorLabel: null,
    staleAfter: null,
  });
  if (typeof draft === 'string') throw new Error(`a malformed ${draft} in a test`);
  const [nonce, request] = [nonceFor(sample, attempt), requestFor(sample)];
  return { draft, ifMatch: null, nonce, request, via: 'hmac', quiet: false };
}
