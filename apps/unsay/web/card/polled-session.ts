import { maySpeak, parseFact, type ReadAnswer, type ResourceContent } from '../live/fact.ts';
import type { Announcements, Session } from '../live/session.ts';
import { every, type Scheduler } from '../page/scheduler.ts';
import { type Ask, AskError } from './ask.ts';

/** How often the card asks what has changed. */
export const POLL_MS = 3_000;
/** Facts that are new are no corrections: the list is read again after so many polls. */
const POLLS_PER_LIST = 10;
const MOST_PAGES = 1_000;
const METHOD_NOT_FOUND = -32601;
const ABSENT: readonly (number | null)[] = [-32602, -32002];

/** A session without a stream, and the way to have it ask now. */
export interface PolledSession extends Session {
  /** Asks what has changed without waiting for the next time. */
  askNow(): void;
}

interface Options {
  readonly ask: Ask;
  readonly announcements: Announcements;
  readonly scheduler: Scheduler;
  readonly unauthorised?: () => boolean;
  readonly clockAhead?: () => number;
}

/**
 * A session that learns of corrections by asking `whats_changed` with the cursor of the time before, for a card that
 * has no stream. What may not be spoken is left where it came in: no URI but a speakable one gets past this.
 */
export function polledSession(options: Options): PolledSession {
  const { ask, announcements, scheduler } = options;
  let followed: ReadonlySet<string> = new Set();
  /** What was ever corrected: all that is known of where a host does not list resources. */
  const corrected = new Set<string>();
  let cursor: string | null = null;
  let lastSign = scheduler.now();
  let polls = 0;
  let started = false;
  let polling = false;
  let again = false;
  let closed = false;
  let cancel = (): void => {};
  let drop = (): void => {};
  const dropped = new Promise<void>((resolve) => {
    drop = resolve;
  });

  async function changed(): Promise<readonly string[]> {
    const answer = await ask('tools/call', {
      name: 'whats_changed',
      arguments: cursor === null ? {} : { after: cursor },
    });
    const said = membersOf(membersOf(answer).structuredContent);
    if (typeof said.cursor !== 'string') throw new AskError(null, 'what has changed was not said');
    cursor = said.cursor;
    lastSign = scheduler.now();
    const uris = urisIn(said.changes);
    for (const uri of uris) corrected.add(uri);
    return uris;
  }

  async function poll(): Promise<void> {
    const uris = await changed();
    if (closed) return;
    for (const uri of new Set(uris)) if (followed.has(uri)) announcements.updated(uri);
    polls += 1;
    if (polls % POLLS_PER_LIST === 0) announcements.listChanged();
  }

  function askNow(): void {
    if (closed || !started) return;
    again = true;
    if (!polling) void pollWhileAsked();
  }

  async function pollWhileAsked(): Promise<void> {
    polling = true;
    try {
      while (again && !closed) {
        again = false;
        await poll();
      }
    } catch {
      if (!closed) drop();
    } finally {
      polling = false;
    }
  }

  return {
    dropped,
    async list() {
      try {
        return await listed(ask);
      } catch (error) {
        if (!(error instanceof AskError) || error.code !== METHOD_NOT_FOUND) throw error;
        if (cursor === null) await changed();
        return [...corrected];
      }
    },
    read: (uri) => readOf(ask, uri),
    async listen(uris) {
      followed = new Set(uris.filter(maySpeak));
      if (started) {
        askNow();
      } else {
        // Everything is read after this, so what happened before it is in what is read.
        await changed();
        started = true;
        cancel = every(scheduler, POLL_MS, askNow);
      }
      return [...followed];
    },
    askNow,
    lastSign: () => lastSign,
    clockAhead: () => options.clockAhead?.() ?? 0,
    unauthorised: () => options.unauthorised?.() ?? false,
    close() {
      closed = true;
      cancel();
    },
  };
}

/** The speakable URIs of every page of `resources/list`. */
async function listed(ask: Ask): Promise<readonly string[]> {
  const uris: string[] = [];
  let cursor: unknown;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answer = membersOf(await ask('resources/list', cursor === undefined ? {} : { cursor }));
    uris.push(...urisIn(answer.resources));
    cursor = answer.nextCursor;
    if (cursor === undefined) return uris;
  }
  throw new AskError(null, 'the list has no end');
}

async function readOf(ask: Ask, uri: string): Promise<ReadAnswer> {
  if (!maySpeak(uri)) return { kind: 'absent' };
  try {
    const { contents } = membersOf(await ask('resources/read', { uri }));
    const fact = parseFact(Array.isArray(contents) ? (contents as ResourceContent[]) : []);
    return fact === null ? { kind: 'failed', reason: 'the answer is not a fact' } : { kind: 'found', fact };
  } catch (error) {
    if (error instanceof AskError && ABSENT.includes(error.code)) return { kind: 'absent' };
    return { kind: 'failed', reason: error instanceof Error ? error.message : String(error) };
  }
}

function urisIn(list: unknown): readonly string[] {
  if (!Array.isArray(list)) return [];
  return list
    .map((each: unknown) => membersOf(each).uri)
    .filter((uri): uri is string => typeof uri === 'string' && maySpeak(uri));
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
