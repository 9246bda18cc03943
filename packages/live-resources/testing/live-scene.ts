import { epochMs } from '../src/clock.ts';
import { createCursorCodec } from '../src/cursor.ts';
import { type Draft, parseDraft } from '../src/draft.ts';
import { createLiveResources, type LiveResources } from '../src/live-resources.ts';
import { createMemoryStore } from '../src/memory-store.ts';
import type { Principal } from '../src/principal.ts';
import type { Publication } from '../src/publish.ts';
import { seededRandomness } from '../src/randomness.ts';
import type { FactVersion } from '../src/version.ts';
import { PARTITION, START } from './sample-facts.ts';
import { createVirtualClock, type VirtualClock } from './virtual-clock.ts';

/** Live resources over the sample partition, with a clock that a test moves. */
export interface LiveScene {
  readonly live: LiveResources;
  readonly clock: VirtualClock;
  /** Publishes as {@link writer}; throws unless it was published. */
  write(uri: string, value?: string, parts?: Partial<Publication>): Promise<FactVersion>;
}

/** A scene with an empty memory store. */
export function createLiveScene(): LiveScene {
  const clock = createVirtualClock(epochMs(START));
  const live = createLiveResources({
    partition: PARTITION,
    store: createMemoryStore(),
    clock,
    randomness: seededRandomness('live scene'),
    cursors: createCursorCodec(new Uint8Array(32).fill(7)),
    defaultAuthorLabel: 'your care team',
  });
  return {
    live,
    clock,
    async write(uri, value = `said at ${clock.now()}`, parts = {}) {
      const outcome = await live.publish(writer, publicationOf(uri, value, parts));
      if (outcome.kind !== 'published') throw new Error(`a version was not published: ${outcome.kind}`);
      return outcome.version;
    },
  };
}

/** A publication of the sample partition, unconditional and announced unless `parts` says otherwise. */
export function publicationOf(uri: string, value: string, parts: Partial<Publication> = {}): Publication {
  return {
    draft: draftOf(uri, value),
    ifMatch: null,
    nonce: null,
    request: null,
    via: 'test',
    quiet: false,
    ...parts,
  };
}

/** A draft of the sample partition; `parts` replaces parts that were checked. */
export function draftOf(uri: string, value: string, parts: Partial<Draft> = {}): Draft {
  const input = { uri, value, authorId: 'author-1', authorLabel: null, staleAfter: null };
  const draft = parseDraft(PARTITION, input);
  if (typeof draft === 'string') throw new Error(`a malformed ${draft} in a test`);
  return { ...draft, ...parts };
}

/** A verified caller of the sample partition. */
export function principalOf(
  scopes: readonly string[],
  subjects: readonly string[] | '*' = ['ray'],
  { sub = 'someone', clientId = 'some-client' } = {},
): Principal {
  return { sub, clientId, scopes: new Set(scopes), subjects: subjects === '*' ? '*' : new Set(subjects) };
}

/** May write and read everything. */
export const writer: Principal = principalOf(['read.user', 'read.assistant', 'write'], '*', {
  sub: 'writer',
});

/** Everything that an iteration gives. */
export async function allOf<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
