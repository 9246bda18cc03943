import { Duplex } from 'node:stream';
import type { VirtualTime } from './virtual-time.ts';

/** What the two ends of a link are told. */
export interface LinkEnds {
  /** The network took these bytes from the server: they have left it. */
  left(bytes: string): void;
  /** These bytes reached the client. */
  arrived(bytes: string): void;
  /** The client learned that the link has ended. */
  ended(): void;
}

/** One connection between a client and a server, over a network that can fail in the ways networks do. */
export class Link {
  readonly server: Duplex;
  /** How long bytes are under way from now on, in milliseconds. They never overtake one another. */
  delayMs = 0;
  readonly #time: VirtualTime;
  readonly #ends: LinkEnds;
  #held: (() => void)[] = [];
  #stalled = false;
  #vanished = false;
  #lastArrival = 0;
  #cutAfter: number | null = null;
  #clientEnded = false;

  constructor(time: VirtualTime, ends: LinkEnds) {
    this.#time = time;
    this.#ends = ends;
    this.server = new ServerEnd(
      (chunk, taken) => this.#fromServer(chunk, taken),
      () => this.#later(() => this.#end()),
      // What the network had not taken goes with the connection.
      () => this.#held.splice(0),
    );
  }

  /** Bytes from the client; they arrive after the link's delay. */
  send(bytes: string): void {
    const arrive = (): void => void (this.server.destroyed || this.server.push(Buffer.from(bytes, 'latin1')));
    if (this.delayMs > 0) this.#time.after(this.delayMs, arrive);
    else arrive();
  }

  /** Takes nothing from the server any more, and says nothing. */
  stall(): void {
    this.#stalled = true;
  }

  /** The server's machine is gone without a word: nothing comes of what it still had to send. */
  vanish(): void {
    this.#vanished = true;
    this.#held = [];
  }

  /** Goes on after a stall. */
  resume(): void {
    this.#stalled = false;
    for (const go of this.#held.splice(0)) go();
  }

  /** From now on nothing fails: what was held goes on, and no break is waiting. */
  heal(): void {
    this.#cutAfter = null;
    this.resume();
  }

  /** Breaks after so many more bytes from the server. */
  cutAfter(bytes: number): void {
    this.#cutAfter = bytes;
  }

  /** Ends the link; what is under way is lost. The server learns of it now, or after `noticedMs`, or never. */
  cut(noticedMs: number | null): void {
    this.#end();
    if (noticedMs === 0) this.server.destroy();
    else if (noticedMs !== null) this.#time.after(noticedMs, () => this.server.destroy());
  }

  #fromServer(chunk: Buffer, taken: () => void): void {
    const go = (): void => {
      this.#take(chunk.toString('latin1'));
      taken();
    };
    if (this.#vanished) return;
    if (this.#stalled) this.#held.push(go);
    else go();
  }

  #take(bytes: string): void {
    this.#ends.left(bytes);
    const rest = this.#cutAfter === null ? bytes : bytes.slice(0, this.#cutAfter);
    if (this.#cutAfter !== null) this.#cutAfter -= rest.length;
    this.#later(() => this.#arrive(rest));
    if (this.#cutAfter === 0) this.#later(() => this.cut(0));
  }

  #later(run: () => void): void {
    if (this.#vanished) return;
    const at = Math.max(this.#lastArrival, this.#time.elapsed + this.delayMs);
    this.#lastArrival = at;
    if (at <= this.#time.elapsed) run();
    else this.#time.after(at - this.#time.elapsed, run);
  }

  #arrive(bytes: string): void {
    if (!this.#clientEnded) this.#ends.arrived(bytes);
  }

  #end(): void {
    if (this.#clientEnded) return;
    this.#clientEnded = true;
    this.#ends.ended();
  }
}

/** The server's end, which it takes for a socket. */
class ServerEnd extends Duplex {
  readonly #take: (chunk: Buffer, taken: () => void) => void;
  readonly #finished: () => void;
  readonly #dropped: () => void;

  constructor(take: (chunk: Buffer, taken: () => void) => void, finished: () => void, dropped: () => void) {
    super();
    this.#take = take;
    this.#finished = finished;
    this.#dropped = dropped;
    // A server that writes to a link that is gone is told as an error, which must not end the run.
    this.on('error', () => undefined);
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#take(chunk, done);
  }

  override _final(done: () => void): void {
    this.#finished();
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#dropped();
    this.#finished();
    done(error);
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  setTimeout(): this {
    return this;
  }
}
