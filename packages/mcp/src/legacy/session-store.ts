import { type Caller, ownerOf } from '../caller.ts';
import type { Listener } from '../hub/listener.ts';
import { isLogLevel, type LogLevel } from '../interaction.ts';
import type { SessionLimits } from '../legacy-era.ts';
import type { Randomness } from '../randomness.ts';
import type { SessionRepository, StoredSession } from '../session-repository.ts';
import type { Dialogue } from './dialogue.ts';

/** What the server remembers between the requests of one legacy client. */
export interface Session<P> {
  readonly id: string;
  /** The (sub, clientId) that opened it. Nobody else can tell that it exists. */
  readonly owner: string;
  readonly protocolVersion: string;
  readonly subscriptions: Set<string>;
  /** A client that never asked for the list is not told that the list changed. */
  listServed: boolean;
  /** From which severity on the client wants log messages; null when it never said. */
  logLevel: LogLevel | null;
  /** How many requests are reading the list at this moment, for a client that may not have been served one yet. */
  listsUnderWay: number;
  /** From where to go on for a client that does not say how far it got; null where no history is kept. */
  resumeFrom: string | null;
  /** Resolves when what was last saved is durable. */
  saved: Promise<void>;
  stream: Listener<P> | undefined;
  /** What interactive methods need to ask the client something; undefined where there are none. */
  dialogue: Dialogue | undefined;
  streamsOpened: number;
  lastUsed: number;
  /** When the repository was last told that it is in use. */
  touchedAt: number;
}

export interface SessionStoreParts {
  readonly limits: SessionLimits;
  readonly randomness: Randomness;
  readonly monotonicNow: () => number;
  readonly repository: SessionRepository;
  readonly onFault: (error: unknown) => void;
}

// Often enough that a session in use is not forgotten, and a small part of what a request costs.
const TOUCHES_PER_IDLE_TIME = 20;

/** The sessions of one server. One with an open stream is in use and never gives way. */
export class SessionStore<P> {
  readonly #limits: SessionLimits;
  readonly #randomness: Randomness;
  readonly #monotonicNow: () => number;
  readonly #repository: SessionRepository;
  readonly #onFault: (error: unknown) => void;
  readonly #sessions = new Map<string, Session<P>>();
  /** Sessions that ended and may still be stored. */
  readonly #ending = new Set<string>();
  readonly #opened = new Map<string, { live: number; ever: number }>();

  constructor({ limits, randomness, monotonicNow, repository, onFault }: SessionStoreParts) {
    this.#limits = limits;
    this.#randomness = randomness;
    this.#monotonicNow = monotonicNow;
    this.#repository = repository;
    this.#onFault = onFault;
  }

  get size(): number {
    return this.#sessions.size;
  }

  /**
   * Opens a session, durably; undefined when the limit is reached and every session that counts has an open stream.
   *
   * @param resumeFrom this moment, as the application's history names it.
   */
  async open(
    caller: Caller<unknown>,
    protocolVersion: string,
    resumeFrom: string | null,
  ): Promise<Session<P> | undefined> {
    this.#dropIdle();
    const owner = ownerOf(caller);
    if (!this.#makeRoom(owner)) return undefined;
    const fresh = {
      owner,
      protocolVersion,
      subscriptions: [],
      listServed: false,
      logLevel: null,
      resumeFrom,
    };
    const session = this.#add({ id: this.#newId(owner), ...fresh });
    try {
      await this.save(session);
    } catch (error) {
      // Its client will never hear of it.
      this.#sessions.delete(session.id);
      this.#forget(session);
      throw error;
    }
    return session;
  }

  /**
   * Whether there is room for one more session of this owner, after one gave way where it can. At the limit of all
   * it is one of the owner who has the most: never of somebody else who has no more than this one, or less than
   * everybody's equal share, so that whoever opens many takes from itself.
   */
  #makeRoom(owner: string): boolean {
    const { sessions, sessionsPerOwner } = this.#limits;
    const own = this.#liveOf(owner);
    if (own >= sessionsPerOwner) return this.#evict((other) => other === owner);
    if (this.#sessions.size < sessions) return true;
    const share = sessions / (this.#opened.size + (own === 0 ? 1 : 0));
    return this.#evict((other, live) => other === owner || (live > own && live >= share));
  }

  #liveOf(owner: string): number {
    return this.#opened.get(owner)?.live ?? 0;
  }

  #add(stored: StoredSession): Session<P> {
    const { id, owner, protocolVersion, subscriptions, listServed, resumeFrom } = stored;
    const opened = this.#opened.get(owner) ?? { live: 0, ever: 0 };
    opened.live += 1;
    this.#opened.set(owner, opened);
    const session: Session<P> = {
      id,
      owner,
      protocolVersion,
      subscriptions: new Set(subscriptions),
      listServed,
      logLevel: isLogLevel(stored.logLevel) ? stored.logLevel : null,
      listsUnderWay: 0,
      saved: Promise.resolve(),
      resumeFrom,
      stream: undefined,
      dialogue: undefined,
      streamsOpened: 0,
      lastUsed: this.#monotonicNow(),
      touchedAt: this.#monotonicNow(),
    };
    this.#sessions.set(session.id, session);
    return session;
  }

  /** The caller's own session. Another's, an ended one and one that never was are the same: undefined. */
  async find(id: string, caller: Caller<unknown>): Promise<Session<P> | undefined> {
    const session = this.#sessions.get(id) ?? (await this.#load(id, ownerOf(caller)));
    if (session === undefined || session.owner !== ownerOf(caller)) return undefined;
    if (!(await this.#isCurrent(session))) return undefined;
    if (this.#isIdle(session)) {
      this.#drop(session);
      return undefined;
    }
    session.lastUsed = this.#monotonicNow();
    this.touch(session);
    return session;
  }

  /**
   * Brings what is known of a session up to what another process may have made of it. One whose stream is open here is
   * here. False when it has ended elsewhere.
   */
  async #isCurrent(session: Session<P>): Promise<boolean> {
    if (this.#repository.isShared !== true || isInUse(session)) return true;
    const { saved } = session;
    await saved.catch(() => undefined);
    const stored = await this.#repository.load(session.id);
    // What was changed here meanwhile is newer than what was read.
    if (session.saved !== saved || isInUse(session)) return true;
    if (stored === null) {
      this.#drop(session);
      return false;
    }
    session.subscriptions.clear();
    for (const uri of stored.subscriptions) session.subscriptions.add(uri);
    session.listServed = stored.listServed;
    session.logLevel = isLogLevel(stored.logLevel) ? stored.logLevel : null;
    session.resumeFrom = stored.resumeFrom;
    return true;
  }

  /** Says that a session is in use, as seldom as will do. */
  touch(session: Session<P>): void {
    const now = this.#monotonicNow();
    if (now - session.touchedAt <= this.#limits.sessionIdleMs / TOUCHES_PER_IDLE_TIME) return;
    session.touchedAt = now;
    this.#repository.touch(session.id).catch(this.#onFault);
  }

  /** A session of this owner that another process opened, or this one before it was started again. */
  async #load(id: string, owner: string): Promise<Session<P> | undefined> {
    const stored = await this.#repository.load(id);
    if (stored === null || stored.owner !== owner || this.#ending.has(id)) return undefined;
    // Another request of the same client may have been first.
    const present = this.#sessions.get(id);
    if (present !== undefined) return present;
    return this.#makeRoom(owner) ? this.#add(stored) : undefined;
  }

  /** Makes what a session remembers durable. One that ended meanwhile is not brought back. */
  async save(session: Session<P>): Promise<void> {
    if (this.#sessions.get(session.id) !== session) return;
    const { id, owner, protocolVersion, subscriptions, listServed, logLevel, resumeFrom } = session;
    const stored = { id, owner, protocolVersion, listServed, logLevel, resumeFrom };
    session.saved = this.#repository.save({ ...stored, subscriptions: [...subscriptions] });
    await session.saved;
  }

  /** Ends a session. It is gone at once; resolves when it is gone durably. */
  async end(session: Session<P>): Promise<void> {
    if (!this.#sessions.delete(session.id)) return;
    this.#forget(session);
    this.#ending.add(session.id);
    try {
      await this.#repository.remove(session.id);
    } finally {
      this.#ending.delete(session.id);
    }
  }

  #forget(session: Session<P>): void {
    session.stream?.giveUp();
    session.dialogue?.end();
    const opened = this.#opened.get(session.owner);
    if (opened === undefined) return;
    opened.live -= 1;
    if (opened.live === 0) this.#opened.delete(session.owner);
  }

  /** Ends a session that nobody waits for. */
  #drop(session: Session<P>): void {
    this.end(session).catch(this.#onFault);
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
      if (this.#isIdle(session)) this.#drop(session);
    }
  }

  /** Ends a session of the eligible owner who has the most, the least recently used; false when there is none. */
  #evict(eligible: (owner: string, live: number) => boolean): boolean {
    let chosen: Session<P> | undefined;
    let most = 0;
    for (const session of this.#sessions.values()) {
      const live = this.#liveOf(session.owner);
      if (isInUse(session) || live < most || !eligible(session.owner, live)) continue;
      if (chosen !== undefined && live === most && lastUse(session) >= lastUse(chosen)) continue;
      [chosen, most] = [session, live];
    }
    if (chosen !== undefined) this.#drop(chosen);
    return chosen !== undefined;
  }
}

function isInUse<P>(session: Session<P>): boolean {
  return session.stream !== undefined && !session.stream.isClosed;
}

/** A client that lost its stream after hours is a client of this moment: it is about to come back. */
function lastUse<P>(session: Session<P>): number {
  return Math.max(session.lastUsed, session.stream?.closedAt ?? 0);
}
