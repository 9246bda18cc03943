import type { Clock } from '@unsay/live-resources';
import { type Ledger, MARK } from './ledger.ts';
import type { Exchange, Watch } from './network.ts';
import { EVERY_URI, laneOf, type Rights, reaches } from './people.ts';
import type { VirtualTime } from './virtual-time.ts';

/** A token as whoever watches knows it. */
export interface KnownToken {
  readonly rights: Rights;
  /** Epoch milliseconds, by the server's clock. */
  readonly expiresAt: number;
  /** When its revocation was answered, in virtual milliseconds; null while it was not. */
  revokedAt: number | null;
}

const TOPICS = new RegExp(EVERY_URI.map((uri) => uri.split('/').at(-1)).join('|'), 'g');
const LANE_OF_TOPIC = new Map(EVERY_URI.map((uri) => [uri.split('/').at(-1) ?? '', laneOf(uri)]));
// A token that ended stops delivery within one second.
const GRACE_MS = 1000;
// The last chunk of an answer: it says that the stream has ended, and nothing else.
const END = '0\r\n\r\n';
const LONGEST_MARK = 32;

/** Watches every byte that leaves the server for what its reader has no right to at that moment. */
export class Inspector implements Watch {
  readonly #ledger: Ledger;
  readonly #time: VirtualTime;
  readonly #clock: Clock;
  readonly #onAnswer: () => void;
  readonly #tokens = new Map<string, KnownToken>();
  #steppedAt = 0;

  constructor(parts: { ledger: Ledger; time: VirtualTime; clock: Clock; onAnswer: () => void }) {
    this.#ledger = parts.ledger;
    this.#time = parts.time;
    this.#clock = parts.clock;
    this.#onAnswer = parts.onAnswer;
  }

  know(token: string, known: KnownToken): void {
    this.#tokens.set(token, known);
  }

  revoked(token: string): void {
    const known = this.#tokens.get(token);
    if (known !== undefined) known.revokedAt ??= this.#time.elapsed;
  }

  /** The server's clock was set: what ended by that ended now. */
  clockStepped(): void {
    this.#steppedAt = this.#time.elapsed;
  }

  isLive(token: string): boolean {
    const known = this.#tokens.get(token);
    return known !== undefined && known.revokedAt === null && this.#clock.now() < known.expiresAt;
  }

  reached(exchange: Exchange): (bytes: string) => void {
    const { authorization = '' } = exchange.headers;
    const known = this.#tokens.get(authorization.replace('Bearer ', '')) ?? null;
    const begun = this.#time.elapsed;
    const wasRevoked = known !== null && known.revokedAt !== null;
    const isSystem = exchange.headers['x-unsay-signature'] !== undefined;
    let status = '';
    let tail = '';
    let endedSince: number | null = null;
    return (bytes) => {
      this.#onAnswer();
      status ||= /^HTTP\/1\.1 (\d{3})/.exec(bytes)?.[1] ?? '';
      if (/^5/.test(status) || bytes.includes('"code":-32603'))
        this.#fault(exchange, `was answered that the server failed: ${bytes.slice(0, 200)}`);
      if (known !== null && this.#hasEnded(known)) {
        endedSince = Math.max(endedSince ?? this.#endOf(known), begun);
        if (
          this.#time.elapsed - endedSince > GRACE_MS &&
          isStream(exchange) &&
          status === '200' &&
          bytes !== END
        )
          this.#fault(
            exchange,
            `was sent bytes on a stream ${this.#time.elapsed - endedSince} ms after its token ended: ${JSON.stringify(bytes.slice(0, 100))}`,
          );
      }
      if (wasRevoked && status !== '401')
        this.#fault(exchange, `was answered ${status} with a revoked token`);
      const text = tail + bytes;
      this.#inspect(exchange, isSystem ? null : known, text, begun, tail.length);
      tail = text.slice(-LONGEST_MARK);
    };
  }

  #inspect(exchange: Exchange, known: KnownToken | null, text: string, begun: number, from: number): void {
    for (const { 0: found, 1: number, 2: part, index } of text.matchAll(MARK)) {
      if (index + found.length <= from) continue;
      const write = this.#ledger.writes[Number(number)];
      if (write === undefined) continue;
      if (part === 'a') this.#fault(exchange, `was sent the private name of the author of ${write.uri}`);
      const lane = laneOf(write.uri);
      if (known !== null && !reaches(known.rights, lane))
        this.#fault(exchange, `was sent words of ${write.uri}, to which it has no right`);
      if (part === 'v' && this.#ledger.isWithdrawn(write, begun))
        this.#fault(exchange, `was sent words of ${write.uri} that had been withdrawn before it asked`);
    }
    for (const { 0: topic, index } of text.matchAll(TOPICS)) {
      if (index + topic.length <= from) continue;
      const lane = LANE_OF_TOPIC.get(topic);
      // Whoever asks for a name is answered with it, there or not.
      if (lane === undefined || known === null || reaches(known.rights, lane)) continue;
      if (isStream(exchange) || !exchange.body.includes(topic))
        this.#fault(exchange, `was sent the name ${topic}, to which it has no right`);
    }
  }

  #hasEnded({ revokedAt, expiresAt }: KnownToken): boolean {
    return revokedAt !== null || this.#clock.now() >= expiresAt;
  }

  #endOf({ revokedAt, expiresAt }: KnownToken): number {
    return revokedAt ?? Math.max(this.#steppedAt, this.#time.elapsed - (this.#clock.now() - expiresAt));
  }

  #fault({ who, method, path }: Exchange, what: string): void {
    this.#ledger.fault(`${who} (${method} ${path}) ${what}`);
  }
}

function isStream({ method, headers }: Exchange): boolean {
  return method === 'GET' || headers['mcp-method'] === 'subscriptions/listen';
}
