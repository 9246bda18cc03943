import { type Cancel, every, type Scheduler } from '../page/scheduler.ts';
import { retryDelay } from './backoff.ts';
import type { Access } from './pairing.ts';
import type { Problem } from './problem.ts';
import type { Opened, OpenSession, Session } from './session.ts';

/** How long a stream may be silent before nothing on the page counts as live. The server beats every 5 s. */
export const LEASE_MS = 15_000;
/** How long a stream may be silent before the page asks again over a new one, while the lease still holds. */
export const ASK_AGAIN_MS = 10_000;

/** How long a hand-over to a newer token that did not succeed is left alone. */
const HAND_OVER_AGAIN_MS = 10_000;

/** Where a page stands with its server. Only `live` lets anything be shown as current. */
export type ConnectionState =
  | { readonly status: 'connecting' }
  | { readonly status: 'live' }
  | {
      readonly status: 'offline';
      /** `lost` had been live; `unreachable` had not. */
      readonly cause: 'lost' | 'unreachable';
      readonly reason: string;
      /** When the page last knew its facts to be current, or null; milliseconds of this page's clock. */
      readonly lastChecked: number | null;
    }
  /** `problem` is the server's refusal of the code; null where a token ended or none was given. */
  | { readonly status: 'unpaired'; readonly expired: boolean; readonly problem: Problem | null };

/** What a connection does to its page. */
export interface ConnectionEvents {
  state(state: ConnectionState): void;
  /** A stream is open for these URIs. Resolves when all of them have been read; only then is the page live. */
  attached(session: Session, uris: readonly string[]): Promise<void>;
  /** The list has changed, and the stream now covers these URIs. */
  listed(uris: readonly string[]): Promise<void>;
  updated(uri: string): void;
  /** The session is of no more use. Always called before the state leaves `live`. */
  detached(): void;
}

interface Options {
  readonly access: () => Promise<Access>;
  /** The token was refused; whether another can be asked for without the person. */
  readonly forget: () => boolean;
  /** Whether the token ends soon and another can be had without the person. */
  readonly isDue?: () => boolean;
  readonly open: OpenSession;
  /** Which of the listed URIs this page follows. */
  readonly follows: (uri: string) => boolean;
  readonly events: ConnectionEvents;
  readonly scheduler: Scheduler;
  /** In [0, 1). */
  readonly chance: () => number;
}

/**
 * Keeps a page connected. The stream is opened before the facts are read, so that no change falls between the
 * two; after a drop everything is read again, because a drop loses what happened meanwhile.
 */
export class Connection {
  readonly #options: Options;
  #state: ConnectionState = { status: 'connecting' };
  /** Counts attempts, so that what an abandoned one still has under way is ignored. */
  #epoch = 0;
  #failures = 0;
  /** Whether this attempt follows a token that was refused. A second one that is refused too is not followed. */
  #isRenewing = false;
  #session: Session | null = null;
  #lastChecked: number | null = null;
  /** The attempt whose list is being read, or 0. */
  #listing = 0;
  #listAgain = false;
  #cancelTimer: Cancel = () => {};
  #token: string | null = null;
  /** Not before this time is another hand-over tried; milliseconds of this page's clock. */
  #handOverAfter = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  get state(): ConnectionState {
    return this.#state;
  }

  start(): void {
    this.#enter({ status: 'connecting' });
    void this.#attempt();
  }

  /** Tries now instead of after the wait, if the page is offline. */
  retryNow(): void {
    if (this.#state.status !== 'offline') return;
    this.#cancelTimer();
    void this.#attempt();
  }

  async #attempt(): Promise<void> {
    this.#epoch += 1;
    const epoch = this.#epoch;
    const access = await this.#options.access();
    if (epoch !== this.#epoch) return;
    if (access.kind === 'unpaired') return this.#unpaired(this.#isRenewing, access.problem);
    if (access.kind === 'unreachable') return this.#lost(epoch, 'the server did not answer');
    const opened = await this.#open(epoch, access.token);
    if (opened === null) return;
    if (opened.kind === 'unauthorised') return this.#expired();
    if (opened.kind === 'unreachable') return this.#lost(epoch, opened.reason);
    this.#take(epoch, opened.session, access.token);
    await this.#establish(epoch, opened.session);
  }

  /** Null when this attempt was given up meanwhile. */
  async #open(epoch: number, token: string): Promise<Opened | null> {
    const opened = await this.#options.open(token, {
      updated: (uri) => {
        if (epoch === this.#epoch) this.#options.events.updated(uri);
      },
      listChanged: () => {
        if (epoch === this.#epoch) void this.#relist(epoch);
      },
    });
    if (epoch === this.#epoch) return opened;
    if (opened.kind === 'open') opened.session.close();
    return null;
  }

  #take(epoch: number, session: Session, token: string): void {
    this.#session = session;
    this.#token = token;
    void session.dropped.then(() => {
      if (session === this.#session) this.#lost(epoch, 'the stream ended');
    });
  }

  /**
   * Goes on over a new session with a newer token before the old one ends, so that nothing is cut for it: the new
   * stream is open, and everything was read over it, before the old one is closed. Where that fails the old one stays.
   */
  async #handOver(epoch: number): Promise<void> {
    const { access, events, scheduler } = this.#options;
    this.#handOverAfter = scheduler.now() + HAND_OVER_AGAIN_MS;
    const got = await access();
    if (epoch !== this.#epoch || got.kind !== 'token' || got.token === this.#token) return;
    const opened = await this.#open(epoch, got.token);
    if (opened?.kind !== 'open') return;
    const { session } = opened;
    try {
      const uris = await this.#follow(session);
      if (epoch === this.#epoch) await events.attached(session, uris);
    } catch {
      return session.close();
    }
    if (epoch !== this.#epoch) return session.close();
    const earlier = this.#session;
    this.#take(epoch, session, got.token);
    earlier?.close();
    // What was listed meanwhile was looked for over the old stream.
    void this.#relist(epoch);
  }

  async #establish(epoch: number, session: Session): Promise<void> {
    try {
      const uris = await this.#follow(session);
      if (epoch !== this.#epoch) return;
      await this.#options.events.attached(session, uris);
    } catch (error) {
      return this.#lost(epoch, error instanceof Error ? error.message : String(error));
    }
    if (epoch !== this.#epoch) return;
    this.#failures = 0;
    this.#isRenewing = false;
    this.#lastChecked = this.#options.scheduler.now();
    this.#cancelTimer = every(this.#options.scheduler, 1_000, () => this.#checkLease(epoch));
    this.#enter({ status: 'live' });
  }

  async #follow(session: Session): Promise<readonly string[]> {
    const list = async () => (await session.list()).filter(this.#options.follows);
    for (let uris = await list(); ; ) {
      const honoured = await session.listen(uris);
      // What came between the list and the stream was announced to nobody here.
      const now = await list();
      if (now.every((uri) => uris.includes(uri))) return uris.filter((uri) => honoured.includes(uri));
      uris = now;
    }
  }

  /** One listing at a time; a change announced during one is looked at after it. */
  async #relist(epoch: number): Promise<void> {
    this.#listAgain = true;
    if (this.#session === null || this.#listing === epoch) return;
    this.#listing = epoch;
    while (this.#listAgain && epoch === this.#epoch && this.#session !== null) {
      const session: Session = this.#session;
      this.#listAgain = false;
      try {
        const uris = await this.#follow(session);
        if (epoch === this.#epoch) await this.#options.events.listed(uris);
      } catch {
        // One that was handed over from meanwhile is closed, which says nothing of the list.
        if (session === this.#session) this.#lost(epoch, 'the list could not be read');
        else this.#listAgain = true;
      }
    }
    if (this.#listing === epoch) this.#listing = 0;
  }

  #checkLease(epoch: number): void {
    const { scheduler, isDue } = this.#options;
    const lastSign = this.#session?.lastSign() ?? 0;
    this.#lastChecked = lastSign;
    const now = scheduler.now();
    const silence = now - lastSign;
    if (now >= this.#handOverAfter && isDue?.() === true) void this.#handOver(epoch);
    if (silence >= LEASE_MS) this.#lost(epoch, 'the stream has gone silent');
    else if (silence >= ASK_AGAIN_MS && this.#listing !== epoch) void this.#relist(epoch);
  }

  #lost(epoch: number, reason: string): void {
    if (epoch !== this.#epoch) return;
    if (this.#session?.unauthorised() === true) {
      this.#expired();
      return;
    }
    const cause = this.#lastChecked === null ? 'unreachable' : 'lost';
    this.#release();
    this.#enter({ status: 'offline', cause, reason, lastChecked: this.#lastChecked });
    const delay = retryDelay(this.#failures, this.#options.chance());
    this.#failures += 1;
    this.#cancelTimer = this.#options.scheduler.after(delay, () => void this.#attempt());
  }

  #expired(): void {
    if (!this.#options.forget() || this.#isRenewing) {
      this.#unpaired(true, null);
      return;
    }
    this.#isRenewing = true;
    this.#release();
    this.start();
  }

  #unpaired(expired: boolean, problem: Problem | null): void {
    this.#release();
    this.#enter({ status: 'unpaired', expired, problem });
  }

  #release(): void {
    this.#epoch += 1;
    this.#cancelTimer();
    this.#session?.close();
    this.#session = null;
    this.#options.events.detached();
  }

  #enter(state: ConnectionState): void {
    this.#state = state;
    this.#options.events.state(state);
  }
}
