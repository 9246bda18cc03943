import type { ServerResponse } from 'node:http';
import { type Caller, ownerOf } from '../caller.ts';
import type { JsonObject } from '../json.ts';
import { FanOut, type SliceLimits } from './fan-out.ts';
import { type Change, type FrameStyle, merged, type Place } from './frame-style.ts';
import {
  ANYTHING,
  type ChangeKey,
  LIST,
  Listener,
  type ListenerHost,
  LOG,
  logKeyOf,
  type WatchKey,
} from './listener.ts';
import { WatcherIndex } from './watcher-index.ts';

export interface ListenHubOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
  /** Told of an exception in a rule that the publisher passed in; the rule then counts as "no". */
  readonly onFault: (error: unknown) => void;
  /** Open streams that one (sub, clientId) may hold. Default 64. */
  readonly streamsPerOwner?: number;
  /** Bytes that may wait for one reader. Default 64 KiB. */
  readonly bufferLimit?: number;
  /** A reader that takes nothing for so long while its buffer is full is cut off. Default 30 s. */
  readonly stallLimitMs?: number;
  /** Default 15 s. */
  readonly keepAliveMs?: number;
  /** How often ended tokens and stalled readers are looked for. Default 250 ms. */
  readonly sweepMs?: number;
  /** Frames written before the event loop gets a turn: as many as can be in so many milliseconds. Default 8. */
  readonly sliceMs?: number;
  /** How long a request waits at the most for those who are being told of a change. Default 200 ms. */
  readonly holdMs?: number;
  /** The most frames of such a slice. Default 4,096. */
  readonly sliceSize?: number;
}

/** What only an operator may see: these numbers depend on what other principals do. */
export interface ListenCounters {
  readonly open: number;
  readonly sent: number;
  /** Frames not written because the principal may not hear of them at the moment of sending. */
  readonly withheld: number;
  /** Changes merged into one that already waited. */
  readonly coalesced: number;
  /** Streams ended because their token expired or was revoked. */
  readonly expired: number;
  /** Readers cut off because they stalled. */
  readonly cutOff: number;
  /** Streams refused at the limit. */
  readonly refused: number;
}

export type Attachment<P> =
  | { readonly kind: 'attached'; readonly listener: Listener<P> }
  /** The caller holds as many streams as it may, or the hub is closed. Says nothing of what was asked for. */
  | { readonly kind: 'full' }
  | { readonly kind: 'closed' };

/**
 * Knows every open stream, of both eras, and who may be told what. A publisher passes the URI and its rule; the
 * rule is asked again for each frame, at the moment it is written.
 */
export interface ListenHub<P> {
  /**
   * A resource changed. Only its URI travels, and the id of the change's place where the era has one; `logged` goes to
   * readers of the log, who need not have subscribed.
   */
  resourceUpdated(uri: string, mayHear: (principal: P) => boolean, place?: Place, logged?: JsonObject): void;
  /** The list of resources changed. */
  resourceListChanged(mayHear: (principal: P) => boolean, place?: Place): void;
  /** Something that the publisher keeps a history of: streams that read for themselves read on. */
  historyGrew(mayHear: (principal: P) => boolean): void;
  /** Whether streams are being told of a change, and more of them than fit in a turn of the event loop. */
  readonly isTelling: boolean;
  /**
   * Resolves when all have been told who are being told of a change, and after a bounded time at the latest. What is
   * read in answer to a change waits for it: those told first would otherwise keep the others from hearing of it.
   */
  told(): Promise<void>;
  /** How many open streams subscribe to the URI and belong to a principal for which the predicate holds. */
  listeners(uri: string, predicate: (principal: P) => boolean): number;
  /** Ends every stream whose token is no longer good. Call it at a revocation; the timer does it otherwise. */
  sweep(): void;
  /** Starts the one timer that sweeps, cuts off stalled readers and keeps connections alive. */
  start(): void;
  /** Attaches a stream that holds frames back until it begins. */
  attach(caller: Caller<P>, res: ServerResponse, frames: FrameStyle): Attachment<P>;
  /**
   * Ends every stream with the frame that its era has for this, waits `graceMs` for readers to take it, and
   * then drops the connections that are left. No stream can be attached afterwards.
   */
  close(graceMs?: number): Promise<void>;
  readonly counters: ListenCounters;
}

const KEEP_ALIVE = Symbol('keep-alive');

export function createListenHub<P>(options: ListenHubOptions): ListenHub<P> {
  return new Hub<P>(options);
}

class Hub<P> implements ListenHub<P>, ListenerHost<P> {
  readonly bufferLimit: number;
  readonly #options: ListenHubOptions;
  readonly #streams = new Set<Listener<P>>();
  readonly #watchers = new WatcherIndex<WatchKey, Listener<P>>();
  readonly #streamsOf = new Map<string, number>();
  readonly #fanOut: FanOut<Listener<P>>;
  /** Apart, so that neither a change nor a request ever waits for them. */
  readonly #signsOfLife: FanOut<Listener<P>>;
  readonly #counts = { sent: 0, withheld: 0, coalesced: 0, expired: 0, cutOff: 0, refused: 0 };
  /** The changes that are merged into one event while they wait for their turn. */
  readonly #waiting = new Map<ChangeKey, Change<P>[]>();
  /** The rules of what is still to be said to streams that read for themselves. */
  #waking: ((principal: P) => boolean)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #keptAliveAt: number;
  #closed = false;

  constructor(options: ListenHubOptions) {
    this.#options = options;
    this.bufferLimit = options.bufferLimit ?? 65_536;
    const limits: SliceLimits = {
      size: options.sliceSize ?? 4_096,
      ms: options.sliceMs ?? 8,
      holdMs: options.holdMs ?? 200,
      monotonicNow: options.monotonicNow,
    };
    this.#fanOut = new FanOut(limits);
    this.#signsOfLife = new FanOut(limits);
    this.#keptAliveAt = options.monotonicNow();
  }

  get counters(): ListenCounters {
    return { open: this.#streams.size, ...this.#counts };
  }

  resourceUpdated(uri: string, mayHear: (principal: P) => boolean, place?: Place, logged?: JsonObject): void {
    const change = { mayHear, place, ...(logged !== undefined && { logged: JSON.stringify(logged) }) };
    const readers = logged === undefined ? undefined : this.#watchers.of(LOG);
    if (readers === undefined) {
      this.#publish(uri, this.#watchers.of(uri), change);
      return;
    }
    // Those who subscribed have it with the other frame. Who really got that counts, since whoever subscribes or
    // unsubscribes before its turn comes is in time for one of the two.
    const told = new Set<Listener<P>>();
    const note = (listener: Listener<P>): boolean => {
      told.add(listener);
      return true;
    };
    this.#publish(uri, this.#watchers.of(uri), change, note);
    this.#publish(logKeyOf(uri), readers, change, (listener) => !told.has(listener));
  }

  resourceListChanged(mayHear: (principal: P) => boolean, place?: Place): void {
    this.#publish(LIST, this.#watchers.of(LIST), { mayHear, place });
  }

  historyGrew(mayHear: (principal: P) => boolean): void {
    const readers = this.#watchers.of(ANYTHING);
    if (readers === undefined) return;
    const rules = this.#waking;
    rules.push(mayHear);
    const wake = (listener: Listener<P>): void => {
      if (rules.some((rule) => this.#holds(rule, listener.caller.principal))) listener.wake();
    };
    this.#fanOut.send(ANYTHING, readers, wake, () => {
      this.#waking = [];
    });
  }

  get isTelling(): boolean {
    return this.#fanOut.isBusy;
  }

  told(): Promise<void> {
    return this.#fanOut.done();
  }

  listeners(uri: string, predicate: (principal: P) => boolean): number {
    let count = 0;
    for (const { isOpen, caller } of this.#watchers.of(uri) ?? []) {
      if (isOpen && caller.isLive() && predicate(caller.principal)) count += 1;
    }
    return count;
  }

  sweep(): void {
    for (const stream of this.#streams) stream.endIfExpired();
  }

  start(): void {
    this.#timer ??= setInterval(() => this.#tick(), this.#options.sweepMs ?? 250).unref();
  }

  attach(caller: Caller<P>, res: ServerResponse, frames: FrameStyle): Attachment<P> {
    if (this.#closed) return { kind: 'closed' };
    const owner = ownerOf(caller);
    const held = this.#streamsOf.get(owner) ?? 0;
    if (held >= (this.#options.streamsPerOwner ?? 64)) {
      this.#counts.refused += 1;
      return { kind: 'full' };
    }
    const listener = new Listener(this, caller, owner, res, frames);
    this.#streamsOf.set(owner, held + 1);
    this.#streams.add(listener);
    if (res.closed) listener.abandon();
    return { kind: 'attached', listener };
  }

  async close(graceMs = 1_000): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    const streams = [...this.#streams];
    for (const stream of streams) stream.end(stream.frames.farewell());
    const grace = new Promise<void>((resolve) => {
      setTimeout(resolve, graceMs).unref();
    });
    await Promise.race([Promise.all(streams.map((stream) => stream.gone())), grace]);
    for (const stream of streams) stream.cutOff();
  }

  monotonicNow(): number {
    return this.#options.monotonicNow();
  }

  allows(mayHear: (principal: P) => boolean, principal: P): boolean {
    if (this.#holds(mayHear, principal)) return true;
    this.#counts.withheld += 1;
    return false;
  }

  sent(): void {
    this.#counts.sent += 1;
  }

  coalesced(): void {
    this.#counts.coalesced += 1;
  }

  expired(): void {
    this.#counts.expired += 1;
  }

  watch(listener: Listener<P>, key: WatchKey): void {
    this.#watchers.add(listener, key);
  }

  unwatch(listener: Listener<P>, key: WatchKey): void {
    this.#watchers.remove(listener, key);
  }

  detached(listener: Listener<P>): void {
    this.#streams.delete(listener);
    for (const key of listener.watched) this.unwatch(listener, key);
    const left = (this.#streamsOf.get(listener.owner) ?? 1) - 1;
    if (left === 0) this.#streamsOf.delete(listener.owner);
    else this.#streamsOf.set(listener.owner, left);
  }

  #holds(mayHear: (principal: P) => boolean, principal: P): boolean {
    try {
      return mayHear(principal);
    } catch (error) {
      this.#options.onFault(error);
      return false;
    }
  }

  #publish(
    key: ChangeKey,
    watchers: ReadonlySet<Listener<P>> | undefined,
    change: Change<P>,
    concerns: (listener: Listener<P>) => boolean = () => true,
  ): void {
    if (watchers === undefined) return;
    const changes = this.#waiting.get(key) ?? [];
    this.#waiting.set(key, changes);
    changes.push(change);
    const written = new Map<unknown, Map<string, Buffer>>();
    const deliver = (listener: Listener<P>): void => {
      if (!concerns(listener)) return;
      const audible = this.#mergedFor(listener.caller.principal, key, changes);
      if (audible === undefined) {
        this.#counts.withheld += 1;
        return;
      }
      // A frame depends on the reader's style, on whether it reads the log, and on the id that its change goes by.
      const frames = written.get(audible.place?.id) ?? new Map<string, Buffer>();
      written.set(audible.place?.id, frames);
      const style = listener.readsLog ? `log ${listener.frames.key}` : listener.frames.key;
      let frame = frames.get(style);
      if (frame === undefined) {
        frame = Buffer.from(listener.frameOf(key, audible));
        frames.set(style, frame);
      }
      listener.offer(key, audible, frame);
    };
    const alone = this.#fanOut.send(key, watchers, deliver, () => void this.#waiting.delete(key));
    if (!alone) this.#counts.coalesced += 1;
  }

  /**
   * Changes that are told of at once. Those of one resource are for the same readers, and the newest rule holds.
   * Each change of the list has readers of its own, and for each reader only what it may hear of counts: neither
   * another one's rule nor its place may tell it that there is another.
   */
  #mergedFor(principal: P, key: ChangeKey, changes: readonly Change<P>[]): Change<P> | undefined {
    let all: Change<P> | undefined;
    for (const change of changes) {
      if (key === LIST && !this.#holds(change.mayHear, principal)) continue;
      all = all === undefined ? change : merged(all, change);
    }
    return all;
  }

  #tick(): void {
    this.sweep();
    const now = this.#options.monotonicNow();
    for (const stream of this.#streams) {
      if (stream.stalledFor(now) < (this.#options.stallLimitMs ?? 30_000)) continue;
      this.#counts.cutOff += 1;
      stream.cutOff();
    }
    if (now - this.#keptAliveAt < (this.#options.keepAliveMs ?? 15_000)) return;
    this.#keptAliveAt = now;
    this.#signsOfLife.send(KEEP_ALIVE, this.#streams, (stream) => stream.keepAlive());
  }
}
