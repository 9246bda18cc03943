import type { ServerResponse } from 'node:http';
import type { Caller } from '../caller.ts';
import type { FrameStyle } from './frame-style.ts';

/** The key under which a pending change of the list waits among URIs. */
export const LIST = Symbol('resource list');

/** What changed: one resource, or the list. */
export type ChangeKey = string | typeof LIST;

/** What a listener needs of the hub that it is attached to. */
export interface ListenerHost<P> {
  readonly bufferLimit: number;
  monotonicNow(): number;
  /** Asks the publisher's rule; counts a refusal as withheld. */
  allows(mayHear: (principal: P) => boolean, principal: P): boolean;
  sent(): void;
  coalesced(): void;
  expired(): void;
  watch(listener: Listener<P>, key: ChangeKey): void;
  unwatch(listener: Listener<P>, key: ChangeKey): void;
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
  readonly #host: ListenerHost<P>;
  readonly #res: ServerResponse;
  readonly #watched = new Set<ChangeKey>();
  readonly #pending = new Map<ChangeKey, (principal: P) => boolean>();
  #state: 'held' | 'open' | 'closed' = 'held';
  #blockedSince: number | undefined;
  #closedAt: number | undefined;

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
  get watched(): ReadonlySet<ChangeKey> {
    return this.#watched;
  }

  add(key: ChangeKey): void {
    if (this.#state === 'closed' || this.#watched.has(key)) return;
    this.#watched.add(key);
    this.#host.watch(this, key);
  }

  remove(key: ChangeKey): void {
    if (!this.#watched.delete(key)) return;
    this.#pending.delete(key);
    this.#host.unwatch(this, key);
  }

  /** Writes the opening, then what was held back. The response's head must have been written. */
  begin(opening: string): void {
    if (this.#state !== 'held') return;
    this.#state = 'open';
    this.#res.socket?.setNoDelay(true);
    this.#res.write(opening, this.#written);
    this.#flushPending();
  }

  /** Sends the frame now, or remembers that it is owed. */
  offer(key: ChangeKey, mayHear: (principal: P) => boolean, frame: Buffer): void {
    if (this.#state === 'closed' || this.#endedWithItsToken()) return;
    if (this.#state === 'held' || this.#pending.size > 0 || !this.#hasRoomFor(frame.byteLength)) {
      this.#owe(key, mayHear);
    } else if (this.#host.allows(mayHear, this.caller.principal)) {
      this.#write(frame);
    }
  }

  /** Keeps a quiet connection open through proxies. A reader that has unread bytes needs none. */
  keepAlive(): void {
    if (this.#state === 'open' && this.#res.writableLength === 0)
      this.#res.write(': keep-alive\n\n', this.#written);
  }

  /** True when the stream was ended because its token is no longer good. */
  #endedWithItsToken(): boolean {
    if (this.caller.isLive()) return false;
    this.#host.expired();
    // What the reader has not taken yet was written under a right that has ended: it goes with the connection.
    if (this.#res.writableLength > 0) this.cutOff();
    else this.end();
    return true;
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

  #owe(key: ChangeKey, mayHear: (principal: P) => boolean): void {
    // Each change of the list has a rule of its own: one that is not for this reader, put in the place of one
    // that is, would silence it and so tell of itself.
    if (key === LIST && !this.#host.allows(mayHear, this.caller.principal)) return;
    if (this.#pending.has(key)) this.#host.coalesced();
    this.#pending.set(key, mayHear);
    if (this.#state === 'open') this.#blockedSince ??= this.#host.monotonicNow();
  }

  #write(frame: Buffer | string): void {
    this.#host.sent();
    this.#res.write(frame, this.#written);
  }

  /** Runs whenever the reader took something, which is when there may be room again. */
  readonly #written = (): void => {
    if (this.#state !== 'open' || this.#pending.size === 0) return;
    this.#blockedSince = this.#host.monotonicNow();
    if (this.#res.writableLength <= this.#host.bufferLimit / 2) this.#flushPending();
  };

  #flushPending(): void {
    if (this.#pending.size > 0 && this.#endedWithItsToken()) return;
    for (const [key, mayHear] of this.#pending) {
      const frame = key === LIST ? this.frames.listChanged() : this.frames.updated(key);
      if (!this.#hasRoomFor(Buffer.byteLength(frame))) break;
      this.#pending.delete(key);
      if (this.#host.allows(mayHear, this.caller.principal)) this.#write(frame);
    }
    this.#blockedSince = this.#pending.size === 0 ? undefined : this.#host.monotonicNow();
  }
}
