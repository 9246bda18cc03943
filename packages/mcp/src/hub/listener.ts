import type { ServerResponse } from 'node:http';
import type { Caller } from '../caller.ts';
import { type Change, type FrameStyle, merged, updatedAndLogged } from './frame-style.ts';

/** The key under which a pending change of the list waits among URIs. */
export const LIST = Symbol('resource list');

/** The key of readers that read for themselves whatever is told to them. */
export const ANYTHING = Symbol('anything');

/** The key of readers that asked for the log of changes. */
export const LOG = Symbol('log of changes');

/** What changed: one resource, the list, or what the log says of one resource (see `logKeyOf`). */
export type ChangeKey = string | typeof LIST;

/** The key under which a pending log message waits among URIs, none of which begins with a space (RFC 3986). */
export function logKeyOf(uri: string): string {
  return ` ${uri}`;
}

export function isLogKey(key: ChangeKey): boolean {
  return typeof key === 'string' && key.startsWith(' ');
}

/** What a listener is indexed under. */
export type WatchKey = ChangeKey | typeof ANYTHING | typeof LOG;

/** What the opening of a stream told of: all changes of some things up to an order. */
export interface Told {
  readonly through: number;
  covers(key: ChangeKey): boolean;
}

const TOLD_NOTHING: Told = { through: Number.NEGATIVE_INFINITY, covers: () => false };

/** What a listener needs of the hub that it is attached to. */
export interface ListenerHost<P> {
  readonly bufferLimit: number;
  monotonicNow(): number;
  /** Asks the publisher's rule; counts a refusal as withheld. */
  allows(mayHear: (principal: P) => boolean, principal: P): boolean;
  sent(): void;
  coalesced(): void;
  expired(): void;
  watch(listener: Listener<P>, key: WatchKey): void;
  unwatch(listener: Listener<P>, key: WatchKey): void;
  detached(listener: Listener<P>): void;
}

/**
 * One open event stream. It holds frames back until `begin`, so that whatever happens while a subscription is
 * being authorized comes after the acknowledgement instead of being lost. What a slow reader cannot take is kept
 * as a set of changed URIs, never as a growing queue, and is authorized again when it is finally written.
 */
export class Listener<P> {
  readonly caller: Caller<P>;
  readonly owner: string;
  readonly frames: FrameStyle;
  /** Called now and then for as long as the stream is open. */
  onKeepAlive: () => void = () => undefined;
  readonly #host: ListenerHost<P>;
  readonly #res: ServerResponse;
  readonly #watched = new Set<WatchKey>();
  readonly #pending = new Map<ChangeKey, Change<P>>();
  #state: 'held' | 'open' | 'closed' = 'held';
  #blockedSince: number | undefined;
  #closedAt: number | undefined;
  #told = TOLD_NOTHING;
  /** Has a stream that reads for itself read on; undefined for one that is handed its frames. */
  #readOn: (() => void) | undefined;

  constructor(
    host: ListenerHost<P>,
    caller: Caller<P>,
    owner: string,
    res: ServerResponse,
    frames: FrameStyle,
  ) {
    this.caller = caller;
    this.owner = owner;
    this.frames = frames;
    this.#host = host;
    this.#res = res;
    res.on('close', () => this.abandon());
    // Node reports a write to a reader that has just gone as an event; unheard, it would end the process.
    res.on('error', () => this.abandon());
  }

  get isOpen(): boolean {
    return this.#state === 'open';
  }

  get isClosed(): boolean {
    return this.#state === 'closed';
  }

  /** The monotonic time at which the stream ended, in milliseconds; undefined while it has not. */
  get closedAt(): number | undefined {
    return this.#closedAt;
  }

  /** The keys that this listener is indexed under. */
  get watched(): ReadonlySet<WatchKey> {
    return this.#watched;
  }

  add(key: WatchKey): void {
    if (this.#state === 'closed' || this.#watched.has(key)) return;
    this.#watched.add(key);
    this.#host.watch(this, key);
  }

  remove(key: ChangeKey | typeof LOG): void {
    if (!this.#watched.delete(key)) return;
    this.#host.unwatch(this, key);
    if (key === LOG) {
      for (const waiting of this.#pending.keys()) if (isLogKey(waiting)) this.#pending.delete(waiting);
      return;
    }
    const change = this.#pending.get(key);
    this.#pending.delete(key);
    // Who unsubscribes may still read of it in the log.
    if (typeof key === 'string' && change?.logged !== undefined && this.#watched.has(LOG))
      this.#owe(logKeyOf(key), change);
  }

  /** Whether it asked for the log of changes. */
  get readsLog(): boolean {
    return this.#watched.has(LOG);
  }

  /**
   * Writes the opening, then what was held back. The response's head must have been written.
   *
   * @param told the changes that the opening tells of: none of them is told again.
   */
  begin(opening: string, told = TOLD_NOTHING): void {
    if (this.#state !== 'held') return;
    this.#state = 'open';
    this.#told = told;
    for (const [key, change] of this.#pending) if (this.#wasTold(key, change)) this.#pending.delete(key);
    this.#res.socket?.setNoDelay(true);
    this.#res.write(opening, this.#written);
    this.#flushPending();
  }

  /**
   * Makes this a stream that reads for itself what it tells. `readOn` is called when there may be something new,
   * and when there is room again; what it reads it hands to `tell`, and so nothing is kept for a slow reader.
   */
  readWith(readOn: () => void): void {
    this.#readOn = readOn;
    this.add(ANYTHING);
  }

  /** There may be something new for a stream that reads for itself. */
  wake(): void {
    if (this.#state === 'closed' || this.#endedWithItsToken()) return;
    // Without room there is nothing to read for; when there is room again it reads on anyway.
    if (this.#blockedSince === undefined) this.#readOn?.();
  }

  /** Writes a frame; false when the stream is over, or when the frame has to wait until there is room. */
  tell(frame: string): boolean {
    if (this.#state !== 'open' || this.#endedWithItsToken()) return false;
    if (!this.#hasRoomFor(Buffer.byteLength(frame))) {
      this.#blockedSince ??= this.#host.monotonicNow();
      return false;
    }
    this.#write(frame);
    return true;
  }

  /** Sends the frame now, or remembers that it is owed. */
  offer(key: ChangeKey, change: Change<P>, frame: Buffer): void {
    if (this.#state === 'closed' || this.#endedWithItsToken() || this.#wasTold(key, change)) return;
    if (this.#state === 'held' || this.#pending.size > 0 || !this.#hasRoomFor(frame.byteLength)) {
      this.#owe(key, change);
    } else if (this.#host.allows(change.mayHear, this.caller.principal)) {
      this.#write(frame);
    }
  }

  /** Keeps a quiet connection open through proxies. A reader that has unread bytes needs none. */
  keepAlive(): void {
    this.onKeepAlive();
    if (this.#state === 'open' && this.#res.writableLength === 0)
      this.#res.write(this.frames.heartbeat?.() ?? ': keep-alive\n\n', this.#written);
  }

  /** True when the stream was ended because its token is no longer good. */
  #endedWithItsToken(): boolean {
    if (this.caller.isLive()) return false;
    this.#host.expired();
    this.giveUp(this.frames.tokenEnded?.());
    return true;
  }

  /**
   * Ends the stream at once. From here on nobody asks whether its reader may still hear, so what it has not taken
   * yet goes with the connection.
   */
  giveUp(lastFrame?: string): void {
    if (this.#res.writableLength > 0) this.cutOff();
    else this.end(lastFrame);
  }

  endIfExpired(): void {
    if (this.#state !== 'closed') this.#endedWithItsToken();
  }

  /** How long the reader has taken nothing although its buffer is full, in milliseconds. */
  stalledFor(now: number): number {
    return this.#blockedSince === undefined ? 0 : now - this.#blockedSince;
  }

  /** Ends the stream in good order, with the last frame if the era has one for this end. */
  end(lastFrame?: string): void {
    if (this.#state === 'closed') return;
    const began = this.#state === 'open';
    this.abandon();
    if (began) this.#res.end(lastFrame);
    else this.#res.destroy();
  }

  /** Stops listening and leaves the response to whoever holds it. */
  abandon(): void {
    if (this.#state === 'closed') return;
    this.#state = 'closed';
    this.#closedAt = this.#host.monotonicNow();
    this.#pending.clear();
    this.#host.detached(this);
  }

  /** Resolves when the connection has let go of the response. */
  async gone(): Promise<void> {
    if (this.#res.closed) return;
    await new Promise<void>((resolve) => this.#res.once('close', resolve));
  }

  cutOff(): void {
    this.abandon();
    this.#res.destroy();
  }

  /** An empty buffer has room for any one frame, or a very long URI could never be told. */
  #hasRoomFor(bytes: number): boolean {
    const unread = this.#res.writableLength;
    return unread === 0 || unread + bytes <= this.#host.bufferLimit;
  }

  #wasTold(key: ChangeKey, { place }: Change<P>): boolean {
    return place !== undefined && place.order <= this.#told.through && this.#told.covers(key);
  }

  #owe(key: ChangeKey, change: Change<P>): void {
    // Each change of the list has a rule of its own: one that is not for this reader, put in the place of one
    // that is, would silence it and so tell of itself.
    if (key === LIST && !this.#host.allows(change.mayHear, this.caller.principal)) return;
    const waiting = this.#pending.get(key);
    if (waiting !== undefined) this.#host.coalesced();
    this.#pending.set(key, waiting === undefined ? change : merged(waiting, change));
    if (this.#state === 'open') this.#blockedSince ??= this.#host.monotonicNow();
  }

  /** How this reader is told of a change. */
  frameOf(key: ChangeKey, change: Change<P>): string {
    const { place, logged } = change;
    if (key === LIST) return this.frames.listChanged(place);
    if (logged !== undefined && isLogKey(key)) return this.frames.logged(logged, place);
    return this.readsLog ? updatedAndLogged(this.frames, key, change) : this.frames.updated(key, place);
  }

  #write(frame: Buffer | string): void {
    this.#host.sent();
    this.#res.write(frame, this.#written);
  }

  /** Runs whenever the reader took something, which is when there may be room again. */
  readonly #written = (): void => {
    if (this.#state !== 'open' || this.#blockedSince === undefined) return;
    this.#blockedSince = this.#host.monotonicNow();
    if (this.#res.writableLength > this.#host.bufferLimit / 2) return;
    this.#flushPending();
    this.#readOn?.();
  };

  #flushPending(): void {
    if (this.#pending.size > 0 && this.#endedWithItsToken()) return;
    for (const [key, change] of this.#pending) {
      const { mayHear } = change;
      const frame = this.frameOf(key, change);
      if (!this.#hasRoomFor(Buffer.byteLength(frame))) break;
      this.#pending.delete(key);
      if (this.#host.allows(mayHear, this.caller.principal)) this.#write(frame);
    }
    this.#blockedSince = this.#pending.size === 0 ? undefined : this.#host.monotonicNow();
  }
}
