import type { LiveResources, Principal } from '@unsay/live-resources';
import type { EventMethods, EventOutcome, EventType } from '@unsay/mcp';
import { exists, unchecked } from './existence.ts';
import { counted, written } from './tally.ts';
import type { Plant } from './world.ts';

type Events = EventMethods<Principal>;

/** Leaks on the paths of the Events extension. */
export const EVENT_PLANTS: readonly Plant[] = [
  {
    name: 'a list of events that says how much there is',
    live: counted,
    application: withEvents(({ types }, live) => ({ types: types.map((type) => countingType(type, live)) })),
  },
  {
    name: 'a poll of what is everybody’s',
    application: withEvents(({ read }) => ({
      read: (principal, subscription, from, limits) =>
        read(isPoll(from) ? unchecked(principal) : principal, subscription, from, limits),
    })),
  },
  {
    name: 'a poll that says what it may not tell of',
    application: withEvents(({ read }, live) => ({
      async read(principal, subscription, from, limits) {
        const { uris } = subscription.args;
        const named = Array.isArray(uris) ? String(uris[0]) : '';
        const isForbidden = principal.scopes.size < 2 && (await exists(live, named));
        if (isForbidden) return { kind: 'bad_argument', message: 'uris: you may not be told of these.' };
        return read(principal, subscription, from, limits);
      },
    })),
  },
  {
    name: 'a stream that goes on to what is everybody’s',
    announcer: (announcer) => ({
      resourceUpdated: (uri, mayHear) => announcer.resourceUpdated(uri, mayHear),
      resourceListChanged: (mayHear) => announcer.resourceListChanged(mayHear),
      historyGrew: () => announcer.historyGrew(() => true),
    }),
    application: withEvents(({ read }) => ({
      async read(principal, subscription, from, limits) {
        const own = await read(principal, subscription, from, limits);
        if (isPoll(from) || own.kind !== 'batch') return own;
        const all = await read(unchecked(principal), subscription, from, limits);
        return all.kind === 'batch' ? { ...own, events: all.events } : own;
      },
    })),
  },
  {
    name: 'a cursor of events that holds how much there is',
    live: (live) => ({
      ...counted(live),
      cursors: {
        seal: (purpose, holder, content) =>
          live.cursors.seal(purpose, holder, isOfEvents(purpose) ? `${content} ${written(live)}` : content),
        open(purpose, holder, token) {
          const content = live.cursors.open(purpose, holder, token);
          return isOfEvents(purpose) ? (content?.split(' ')[0] ?? null) : content;
        },
      },
    }),
  },
  {
    name: 'a gap in events that counts what is everybody’s',
    live: counted,
    application: withEvents(({ read }, live) => ({
      async read(...question): Promise<EventOutcome> {
        const outcome = await read(...question);
        if (outcome.kind !== 'batch') return outcome;
        return { ...outcome, truncated: outcome.truncated || written(live) > 8 };
      },
    })),
  },
];

function isPoll(from: unknown): boolean {
  return from === null || typeof from === 'string';
}

function isOfEvents(purpose: string): boolean {
  return purpose.includes('correction events');
}

/** A type whose schema is written down anew each time that it is sent. */
function countingType(type: EventType, live: LiveResources): EventType {
  const payloadSchema = {
    ...type.payloadSchema,
    get description() {
      return `One of ${written(live)}.`;
    },
  };
  return { ...type, payloadSchema };
}

function withEvents(
  fault: (events: Events, live: LiveResources) => Partial<Events>,
): NonNullable<Plant['application']> {
  return (application, live) => {
    const { events } = application;
    if (events === undefined) throw new Error('an application without events has none to leak');
    return { ...application, events: { ...events, ...fault(events, live) } };
  };
}
