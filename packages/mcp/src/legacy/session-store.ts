import { type Caller, ownerOf } from '../caller.ts';
import type { Listener } from '../hub/listener.ts';
import type { Randomness } from '../randomness.ts';

/** What the server remembers between the requests of one legacy client. */
export interface Session<P> {
  readonly id: string;
  /** The (sub, clientId) that opened it. Nobody else can tell that it exists. */
  readonly owner: string;
  readonly protocolVersion: string;
  readonly subscriptions: Set<string>;
  /** A client that never asked for the list is not told that the list changed. */
  listServed: boolean;
  stream: Listener<P> | undefined;
  streamsOpened: number;
  lastUsed: number;
}

export interface SessionLimits {
  /** Sessions in total. */
  readonly sessions: number;
  readonly sessionsPerOwner: number;
  readonly sessionIdleMs: number;
}

/** The sessions of one server. One with an open stream is in use and never gives way. */
export class SessionStore<P> {
  readonly #limits: SessionLimits;
  readonly #randomness: Randomness;
  readonly #monotonicNow: () => number;
  readonly #sessions = new Map<string, Session<P>>();
  readonly #opened = new Map<string, { live: number; ever: number }>();

  constructor(limits: SessionLimits, randomness: Randomness, monotonicNow: () => number) {
    this.#limits = limits;
    this.#randomness = randomness;
    this.#monotonicNow = monotonicNow;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /** Opens a session; undefined when the limit is reached and every session that counts has an open stream. */
  open(caller: Caller<unknown>, protocolVersion: string): Session<P> | undefined {
    this.#dropIdle();
    const owner = ownerOf(caller);
    const own = this.#opened.get(owner)?.live ?? 0;
    if (own >= this.#limits.sessionsPerOwner && !this.#evict((session) => session.owner === owner))
      return undefined;
    if (this.#sessions.size >= this.#limits.sessions && !this.#evict(() => true)) return undefined;
    const session: Session<P> = {
      id: this.#newId(owner),
      owner,
      protocolVersion,
      subscriptions: new Set(),
      listServed: false,
      stream: undefined,
      streamsOpened: 0,
      lastUsed: this.#monotonicNow(),
    };
    this.#sessions.set(session.id, session);
    return session;
  }

  /** The caller's own session. Another's, an ended one and one that never was are the same: undefined. */
  find(id: string, caller: Caller<unknown>): Session<P> | undefined {
    const session = this.#sessions.get(id);
    if (session === undefined || session.owner !== ownerOf(caller)) return undefined;
    if (this.#isIdle(session)) {
      this.end(session);
      return undefined;
    }
    session.lastUsed = this.#monotonicNow();
    return session;
  }

  end(session: Session<P>): void {
    if (!this.#sessions.delete(session.id)) return;
    session.stream?.end();
    const opened = this.#opened.get(session.owner);
    if (opened === undefined) return;
    opened.live -= 1;
    if (opened.live === 0) this.#opened.delete(session.owner);
  }

  /** An id for one event stream of this session: it tells nothing of any other session, and is not a count. */
  eventId(session: Session<P>): string {
    session.streamsOpened += 1;
    return this.#draw('mcp event id', `${session.id} ${session.streamsOpened}`, 16);
  }

  #newId(owner: string): string {
    const opened = this.#opened.get(owner) ?? { live: 0, ever: 0 };
    this.#opened.set(owner, opened);
    let id: string;
    do {
      opened.ever += 1;
      id = this.#draw('mcp session id', `${owner} ${opened.ever}`, 24);
    } while (this.#sessions.has(id));
    opened.live += 1;
    return id;
  }

  #draw(purpose: string, record: string, length: number): string {
    return Buffer.from(this.#randomness.bytes(purpose, record, length)).toString('base64url');
  }

  #isIdle(session: Session<P>): boolean {
    return !isInUse(session) && this.#monotonicNow() - lastUse(session) > this.#limits.sessionIdleMs;
  }

  #dropIdle(): void {
    for (const session of this.#sessions.values()) {
      if (this.#isIdle(session)) this.end(session);
    }
  }

  /** Ends the least recently used of the eligible sessions; false when there is none. */
  #evict(eligible: (session: Session<P>) => boolean): boolean {
    let oldest: Session<P> | undefined;
    for (const session of this.#sessions.values()) {
      if (isInUse(session) || !eligible(session)) continue;
      if (oldest === undefined || lastUse(session) < lastUse(oldest)) oldest = session;
    }
    if (oldest !== undefined) this.end(oldest);
    return oldest !== undefined;
  }
}

function isInUse<P>(session: Session<P>): boolean {
  return session.stream !== undefined && !session.stream.isClosed;
}

/** A client that lost its stream after hours is a client of this moment: it is about to come back. */
function lastUse<P>(session: Session<P>): number {
  return Math.max(session.lastUsed, session.stream?.closedAt ?? 0);
}
