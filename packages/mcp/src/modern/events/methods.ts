import type { EventMethods } from '../../event-methods.ts';
import { withoutFaults } from '../../methods/method-table.ts';
import { invalidParams, type Method } from '../../methods/outcome.ts';
import { EVENTS_STREAM, type EventRequestReader, problemWith } from './protocol.ts';

/** When a client that found nothing more should ask again. One that cannot wait so long holds a stream. */
const NEXT_POLL_MS = 5_000;
const MOST_AT_ONCE = 200;

/**
 * The requests of the Events extension, by method name. A stream is not answered here: its method says only whether
 * the request is in order.
 */
export function eventMethodTable<P>(
  events: EventMethods<P>,
  read: EventRequestReader,
  replayLimit: number,
  onFault: (error: unknown) => void,
): ReadonlyMap<string, Method<P>> {
  const methods: readonly (readonly [string, Method<P>])[] = [
    ['events/list', listEvents(events)],
    ['events/poll', pollEvents(events, read, replayLimit)],
    [EVENTS_STREAM, checkStream(read)],
  ];
  return new Map(methods.map(([name, method]) => [name, withoutFaults(method, onFault)]));
}

function listEvents<P>({ types }: EventMethods<P>): Method<P> {
  // In order of preference, since a client takes the first that it can.
  const events = types.map((type) => ({ ...type, delivery: ['push', 'poll'] }));
  return async (_principal, { cursor = null }) =>
    cursor === null
      ? { kind: 'result', result: { events } }
      : invalidParams('Invalid cursor: list again without one');
}

function pollEvents<P>(events: EventMethods<P>, read: EventRequestReader, replayLimit: number): Method<P> {
  return async (principal, params) => {
    const asked = await read(params);
    if (asked.kind === 'error') return asked;
    const { subscription, cursor, maxAgeMs, maxEvents } = asked.request;
    const most = Math.min(maxEvents ?? MOST_AT_ONCE, MOST_AT_ONCE);
    const outcome = await events.read(principal, subscription, cursor, {
      most,
      replay: replayLimit,
      maxAgeMs,
    });
    if (outcome.kind !== 'batch') {
      const error = problemWith(outcome);
      if (error === null) throw new Error('an outcome is neither a batch nor a problem');
      return { kind: 'error', error };
    }
    const { name } = subscription;
    return {
      kind: 'result',
      result: {
        events: outcome.events.map(({ eventId, timestamp, data }) => ({ eventId, name, timestamp, data })),
        cursor: outcome.cursor,
        truncated: outcome.truncated,
        hasMore: outcome.hasMore,
        nextPollMs: NEXT_POLL_MS,
      },
    };
  };
}

function checkStream<P>(read: EventRequestReader): Method<P> {
  return async (_principal, params) => {
    const asked = await read(params);
    return asked.kind === 'error' ? asked : { kind: 'result', result: {} };
  };
}
