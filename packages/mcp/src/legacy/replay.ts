import type { MissedChange, ResourceHistory } from '../application.ts';
import { wantsChangeLog } from '../hub/frame-style.ts';
import { isLogKey, LIST, type Told } from '../hub/listener.ts';
import { gapEvent, listChangedEvent, loggedEvent, updatedEvent } from './frames.ts';
import type { Session } from './session-store.ts';

/** What a client that comes back is told before anything new. */
export interface Replay extends Told {
  /** Whole events. */
  readonly events: readonly string[];
  /** False when nobody can say what was missed: then the gap is said. */
  readonly isComplete: boolean;
}

/** From where to go on, and whether the client itself says that it got there. */
export interface ResumePoint {
  readonly token: string;
  readonly isExact: boolean;
}

// Clients send an id back in a header, and servers take some kilobytes of headers in all.
const LONGEST_ID = 4_096;

/**
 * What a session missed. A client that says what it was told of last is told of every change after it, in order,
 * once, each with an id of its own. One that does not say is told once of each resource that changed since it is
 * known to have been told of all. Past `limit`, and where nobody can say what was missed, the gap is said, and each
 * resource that the session subscribes to and may hear of now is named once.
 *
 * @param from null when nobody knows how far the client got.
 */
export async function replay<P>(
  history: ResourceHistory<P>,
  session: Pick<Session<P>, 'subscriptions' | 'listServed' | 'listsUnderWay' | 'logLevel'>,
  principal: P,
  from: ResumePoint | null,
  limit: number,
): Promise<Replay> {
  // Taken before anything is looked at: what happens meanwhile is told twice rather than never.
  const markOfNow = (await history.mark(principal)) ?? '';
  // As they are from here on: what is subscribed to meanwhile hears of what happens meanwhile by itself.
  const wanted = {
    uris: new Set(session.subscriptions),
    list: session.listServed || session.listsUnderWay > 0,
    log: wantsChangeLog(session.logLevel),
  };
  const covers: Told['covers'] = (key) => {
    if (key === LIST) return wanted.list;
    return isLogKey(key) ? wanted.log : wanted.uris.has(key);
  };
  const missed = from && (await history.since(principal, from.token, wanted, limit));
  const through = missed?.through ?? Number.NEGATIVE_INFINITY;
  if (missed?.kind === 'missed') {
    const changes = from?.isExact ? missed.changes : newestOfEach(missed.changes);
    const events = changes.map((change) => eventOf(change, wanted));
    return { events, through, covers, isComplete: true };
  }
  // Who follows nothing has missed nothing.
  if (wanted.uris.size === 0 && !wanted.list && !wanted.log && from === null)
    return { events: [], through, covers, isComplete: false };
  const audible = await history.audible(principal, [...wanted.uris]);
  const writers = [
    gapEvent,
    ...audible.map((uri) => (id?: string) => updatedEvent(uri, id)),
    ...(wanted.list ? [listChangedEvent] : []),
  ];
  // Only whoever has read the last of them has been told of all.
  const last = markOfNow !== '' && markOfNow.length <= LONGEST_ID ? markOfNow : undefined;
  const events = writers.map((write, index) => write(index === writers.length - 1 ? last : undefined));
  return { events, through, covers, isComplete: false };
}

/** Each way that the session is told of a change, and one id for all of them: with the last. */
function eventOf(
  { uri, id, logged }: MissedChange,
  { uris, log }: { readonly uris: ReadonlySet<string>; readonly log: boolean },
): string {
  if (uri === null) return listChangedEvent(id);
  const isSubscribed = uris.has(uri);
  const inLog = log && logged !== undefined;
  const message = inLog ? loggedEvent(JSON.stringify(logged), isSubscribed ? undefined : id) : '';
  return message + (isSubscribed ? updatedEvent(uri, id) : '');
}

function newestOfEach<T extends { readonly uri: string | null }>(changes: readonly T[]): T[] {
  const newest = new Map<string | null, T>();
  for (const change of changes) {
    newest.delete(change.uri);
    newest.set(change.uri, change);
  }
  return [...newest.values()];
}
