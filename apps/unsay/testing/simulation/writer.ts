import { createHmac } from 'node:crypto';
import type { Chance } from './chance.ts';
import { type IssuedWrite, type Ledger, mark } from './ledger.ts';
import { mcpExchange, readOutcome } from './mcp-calls.ts';
import type { Exchange, Network } from './network.ts';
import { WRITE_SECRET } from './node.ts';
import { EVERY_URI } from './people.ts';
import type { VirtualTime } from './virtual-time.ts';

/** Who writes: a person with a token, or the system with its secret. */
export interface WriterPlan {
  readonly name: string;
  /** Null for the system, which signs. */
  readonly token: string | null;
  /** Epoch milliseconds of the writer's own clock at the beginning; it never steps. */
  readonly epochMs: number;
}

interface Written {
  readonly version: number;
  readonly versionHash: string;
  readonly prevHash: string | null;
  readonly writtenAt: string;
}

/** How a run wants its writers to write. */
export interface WritingHabits {
  /** How many characters of filling a value has: many make an answer of `whats_changed` too long for one. */
  readonly filling: number;
  /** The fact that they all like to change. */
  readonly contested: string;
}

const RETRY_MS = 1500;

/** Writes one version after the other. What was not answered is sent again under its key, with a new signature. */
export class Writer {
  readonly plan: WriterPlan;
  readonly #habits: WritingHabits;
  readonly #ledger: Ledger;
  readonly #network: Network;
  readonly #time: VirtualTime;
  readonly #chance: Chance;
  #lastSigned = 0;

  constructor(
    plan: WriterPlan,
    habits: WritingHabits,
    parts: { ledger: Ledger; network: Network; time: VirtualTime; chance: Chance },
  ) {
    this.plan = plan;
    this.#habits = habits;
    this.#ledger = parts.ledger;
    this.#network = parts.network;
    this.#time = parts.time;
    this.#chance = parts.chance;
  }

  /** Writes once, however many attempts it takes. */
  async write(): Promise<void> {
    const uri = this.#chance.happens(0.4) ? this.#habits.contested : this.#chance.one(EVERY_URI);
    const conditional = this.plan.token !== null && this.#chance.happens(0.5);
    const head = conditional ? await this.#head(uri) : null;
    // A person looks at what stands before changing it, and others do not wait for that.
    if (head !== null) await this.#time.sleep(this.#chance.below(3000));
    const write = this.#ledger.issue(uri, this.#chance.happens(0.15));
    const body = JSON.stringify({ uri, authorId: mark(write.number, 'author'), ...this.#words(write) });
    // Who cannot say that it is the same request again must not send it again, and needs a signature for when
    // the network does.
    const key =
      this.plan.token !== null || this.#chance.happens(0.5) ? `${this.plan.name} ${write.number}` : null;
    this.#say(`writes ${uri} as ${write.number}${write.withdraws ? ', a withdrawal' : ''}`);
    for (;;) {
      const answered = await this.#attempt(write, body, key?.replaceAll(' ', '-') ?? null, head);
      if (answered || key === null) return;
      await this.#time.sleep(RETRY_MS + this.#chance.below(1000));
    }
  }

  async #attempt(
    write: IssuedWrite,
    body: string,
    key: string | null,
    head: string | null,
  ): Promise<boolean> {
    const condition = head === null ? null : `"${head}"`;
    const answer = await this.#network.request({
      who: this.plan.name,
      method: 'POST',
      path: '/write',
      headers: {
        'content-type': 'application/json',
        ...this.#credential(body, condition),
        ...(key !== null && { 'idempotency-key': key }),
        ...(condition !== null && { 'if-match': condition }),
      },
      body,
    });
    if (answer === null) return false;
    if (answer.status === 201) {
      const { version, versionHash, prevHash, writtenAt } = JSON.parse(answer.body) as Written;
      this.#ledger.answered(write, { version, versionHash, prevHash, writtenAt, at: this.#time.elapsed });
      if (head !== null && prevHash !== head)
        this.#ledger.fault(`${write.uri} v${version} follows another head than its writer named`);
      this.#say(`was answered v${version} ${versionHash.slice(0, 8)} for ${write.number}`);
      return true;
    }
    this.#say(`was refused ${write.number}: ${answer.status}`);
    // A moved head and an unknown fact are answers; a signature that came twice was never its writer's doing.
    return answer.status !== 401 && answer.status !== 503;
  }

  #words(write: IssuedWrite): Readonly<Record<string, unknown>> {
    if (write.withdraws) return { withdraw: true };
    const { filling } = this.#habits;
    const value = `Walk ${mark(write.number, 'value')} minutes.${filling > 0 ? ` ${'x'.repeat(filling)}` : ''}`;
    return { value, authorLabel: `Ward ${mark(write.number, 'label')}` };
  }

  #credential(body: string, condition: string | null): Readonly<Record<string, string>> {
    const { token, epochMs } = this.plan;
    if (token !== null) return { authorization: `Bearer ${token}` };
    // Two signatures of one second over the same bytes are one signature.
    const now = Math.floor((epochMs + this.#time.elapsed) / 1000);
    const timestamp = Math.max(now, this.#lastSigned + 1);
    this.#lastSigned = timestamp;
    const signature = createHmac('sha256', WRITE_SECRET)
      .update(`${timestamp}.${condition ?? ''}.${body}`)
      .digest('hex');
    return { 'x-unsay-timestamp': String(timestamp), 'x-unsay-signature': `v1=${signature}` };
  }

  /** The head as it reads it; null when it could not. */
  async #head(uri: string): Promise<string | null> {
    const { token, name: who } = this.plan;
    if (token === null) return null;
    const exchange: Exchange = mcpExchange({ who, era: 'modern', token, session: null }, 'resources/read', {
      uri,
    });
    const outcome = readOutcome(await this.#network.request(exchange));
    if (outcome.kind !== 'result') return null;
    const [content] = outcome.result.contents as { _meta: Readonly<Record<string, unknown>> }[];
    return String(content?._meta['unsay/versionHash']);
  }

  #say(what: string): void {
    this.#network.say(`${this.plan.name}: ${what}`);
  }
}
