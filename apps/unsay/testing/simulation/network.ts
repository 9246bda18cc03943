import type { Chance } from './chance.ts';
import { type AnswerHead, HttpReader } from './http-reader.ts';
import { Link } from './link.ts';
import type { Turns } from './turns.ts';
import type { VirtualTime } from './virtual-time.ts';

/** One request as it is sent, and on whose behalf. */
export interface Exchange {
  readonly who: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer that arrived whole. */
export interface Answer extends AnswerHead {
  readonly body: string;
}

/** What watches every byte that leaves the server. */
export interface Watch {
  /** The server is reached by a request; gives what to tell of the bytes that it answers with. */
  reached(exchange: Exchange): (bytes: string) => void;
}

/** A stream as its client sees it. */
export interface ClientStream {
  readonly head: AnswerHead | null;
  readonly isOpen: boolean;
  /** When the last byte arrived, in virtual milliseconds. */
  readonly lastSign: number;
  close(): void;
  readonly link: Link;
}

/** How a stream tells its client. */
export interface StreamEvents {
  body(bytes: string): void;
  ended(): void;
}

/** Takes connections while a server lives. */
export interface Accepting {
  accept(socket: Link['server']): void;
}

const NO_FATE = 100;
const PATIENCE_MS = 10_000;

/** The network between all clients and the one server. `faulty` says whether it fails. */
export class Network {
  faulty = true;
  server: Accepting | null = null;
  readonly #chance: Chance;
  readonly #time: VirtualTime;
  readonly #turns: Turns;
  readonly #watch: Watch;
  readonly #links = new Set<Link>();
  readonly #streams = new Set<Link>();
  readonly say: (line: string) => void;

  constructor(parts: {
    chance: Chance;
    time: VirtualTime;
    turns: Turns;
    watch: Watch;
    say: (line: string) => void;
  }) {
    this.#chance = parts.chance;
    this.#time = parts.time;
    this.#turns = parts.turns;
    this.#watch = parts.watch;
    this.say = parts.say;
  }

  /** Links of the event streams that are open now. */
  get streams(): readonly Link[] {
    return [...this.#streams];
  }

  /** Sends a request and gives its answer; null when none came, whatever the server did. */
  async request(exchange: Exchange): Promise<Answer | null> {
    const fate = this.faulty ? this.#chance.below(100) : NO_FATE;
    if (fate < 5) {
      this.say(`${exchange.who}: the request is lost`);
      await this.#time.sleep(this.#chance.between(0, 2000));
      return null;
    }
    if (fate < 9) {
      this.say(`${exchange.who}: the request arrives twice`);
      const late = this.#chance.happens(0.5) ? 0 : this.#chance.between(1, 30_000);
      this.#time.after(late, () => void this.#exchange(exchange, NO_FATE));
    }
    if (this.faulty && exchange.headers['x-unsay-signature'] !== undefined && this.#chance.happens(0.3)) {
      this.say(`${exchange.who}: somebody records the signed request, to send it again`);
      this.#time.after(this.#chance.between(1, 60_000), () => void this.#exchange(exchange, NO_FATE));
    }
    return this.#exchange(exchange, fate);
  }

  /** Opens an event stream; null when the server cannot be reached. Its head comes like everything after it. */
  open(exchange: Exchange, events: StreamEvents): ClientStream | null {
    const reader = new HttpReader();
    const stream = { lastSign: this.#time.elapsed, isOpen: true };
    const opened = this.#dial(exchange, {
      arrived: (bytes) => {
        stream.lastSign = this.#time.elapsed;
        const body = reader.read(bytes);
        events.body(body);
        if (reader.complete) ended();
      },
      ended: () => ended(),
    });
    if (opened === null) return null;
    const ended = (): void => {
      if (!stream.isOpen) return;
      stream.isOpen = false;
      this.#streams.delete(opened);
      events.ended();
    };
    this.#streams.add(opened);
    if (this.faulty && this.#chance.happens(0.2)) opened.delayMs = this.#chance.between(50, 4000);
    opened.send(spell(exchange));
    return {
      get head() {
        return reader.head;
      },
      get isOpen() {
        return stream.isOpen;
      },
      get lastSign() {
        return stream.lastSign;
      },
      link: opened,
      close: () => {
        const unnoticed = this.faulty && this.#chance.happens(0.3);
        opened.cut(unnoticed ? this.#chance.between(500, 20_000) : 0);
      },
    };
  }

  /** The server is gone. Every link breaks, most of them with a word. */
  crashed(): void {
    this.server = null;
    for (const link of this.#links) {
      if (this.#chance.happens(0.8)) link.cut(0);
      link.vanish();
    }
    this.#links.clear();
  }

  /** No more faults, and those that last are over. */
  heal(): void {
    this.faulty = false;
    for (const link of this.#links) link.heal();
  }

  #exchange(exchange: Exchange, fate: number): Promise<Answer | null> {
    return new Promise((resolve) => {
      const reader = new HttpReader();
      let body = '';
      const done = (answer: Answer | null): void => {
        cancel();
        // Before the link is cut, whose end would be an answer too.
        resolve(answer);
        link?.cut(0);
      };
      const cancel = this.#time.after(PATIENCE_MS, () => {
        this.say(`${exchange.who}: no answer in time`);
        done(null);
      });
      const link = this.#dial(exchange, {
        arrived: (bytes) => {
          body += reader.read(bytes);
          const { head, complete } = reader;
          if (head !== null && complete)
            done({ ...head, body: Buffer.from(body, 'latin1').toString('utf8') });
        },
        ended: () => done(null),
      });
      if (link === null) return void this.#time.after(100, () => done(null));
      if (fate >= 9 && fate < 18) link.cutAfter(this.#chance.below(400));
      if (fate >= 18 && fate < 30) link.delayMs = this.#chance.between(20, 3000);
      if (fate >= 30 && fate < 32) link.stall();
      link.send(spell(exchange));
    });
  }

  #dial(exchange: Exchange, ends: { arrived(bytes: string): void; ended(): void }): Link | null {
    if (this.server === null) return null;
    const left = this.#watch.reached(exchange);
    const link: Link = new Link(this.#time, {
      left: (bytes) => {
        this.#turns.moved();
        left(bytes);
      },
      arrived: (bytes) => {
        this.#turns.moved();
        ends.arrived(bytes);
      },
      ended: () => {
        this.#turns.moved();
        ends.ended();
      },
    });
    this.#links.add(link);
    // A server may hold a link for long after its client has given it up.
    link.server.once('close', () => void this.#links.delete(link));
    this.server.accept(link.server);
    return link;
  }
}

function spell({ method, path, headers, body }: Exchange): string {
  const bytes = Buffer.from(body, 'utf8');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const length = method === 'POST' ? [`content-length: ${bytes.length}`] : [];
  const head = [`${method} ${path} HTTP/1.1`, 'host: localhost:8787', ...lines, ...length];
  return `${head.join('\r\n')}\r\n\r\n${bytes.toString('latin1')}`;
}
