import { CARD_URI } from '../../src/mcp/device-card.ts';
import type { Chance } from './chance.ts';
import { EventQueue, EventReader } from './event-queue.ts';
import { INITIALIZE, type McpOutcome, mcpExchange, readOutcome, sessionStreamExchange } from './mcp-calls.ts';
import type { ClientStream, Exchange, Network } from './network.ts';
import type { ListenerPlan, Rights } from './people.ts';
import type { VirtualTime } from './virtual-time.ts';

/** How long a stream may be silent before nothing counts as live any more. */
export const LEASE_MS = 15_000;

/** A correction as `whats_changed` told it. */
export interface LearnedCorrection {
  readonly uri: string;
  readonly version: number;
}

/** What a listener holds of a fact. */
export interface HeldFact {
  readonly version: number;
  readonly versionHash: string;
}

/** Where a listener stands: `live` says that it takes what it holds for current. */
export type Standing = 'away' | 'connecting' | 'live' | 'refused';

/** The token refused, the server unreachable, or something that it could not do without. */
class ConnectionLost extends Error {}

/** A client that follows everything it may hear of, the way the guides tell it to. It starts again after every loss. */
export class Listener {
  readonly plan: ListenerPlan;
  readonly learned: LearnedCorrection[] = [];
  readonly held = new Map<string, HeldFact>();
  /**
   * Whether it goes on with its session after a loss: it then reads nothing again but what the stream tells it
   * to, so that what the stream does not make up for is missed for good.
   */
  readonly #resumes: boolean;
  /** Where its session's stream goes on from; null where it has to begin anew. */
  #lastEvent: string | null = null;
  /** Whether it has subscribed to, and read, whatever there was. */
  #isWhole = false;
  #mustList = false;
  /** Facts that it knows it has to read again. */
  readonly suspect = new Set<string>();
  standing: Standing = 'away';
  rights: Rights;
  #token: string;
  #cursor: string | null = null;
  #session: string | null = null;
  #stream: ClientStream | null = null;
  #queue = new EventQueue();
  #losses = 0;
  #everLost = 0;
  #useToken: () => void = () => undefined;
  readonly #suspicions = new Map<string, number>();
  readonly #network: Network;
  readonly #time: VirtualTime;
  readonly #chance: Chance;

  constructor(
    plan: ListenerPlan,
    token: string,
    parts: { network: Network; time: VirtualTime; chance: Chance },
  ) {
    this.plan = plan;
    this.rights = plan.rights;
    this.#token = token;
    this.#network = parts.network;
    this.#time = parts.time;
    this.#chance = parts.chance;
    this.#resumes = plan.era === 'legacy' && parts.chance.happens(0.5);
  }

  get token(): string {
    return this.#token;
  }

  /** How often it lost its connection, or gave it up. */
  get losses(): number {
    return this.#everLost;
  }

  /** Whether it believes that what it holds is current. */
  get believesLive(): boolean {
    const stream = this.#stream;
    return this.standing === 'live' && stream !== null && this.#time.elapsed - stream.lastSign < LEASE_MS;
  }

  /** Has another token from now on, and knows what it may no longer hold. */
  use(token: string, rights: Rights): void {
    this.#token = token;
    this.rights = rights;
    this.#losses = 0;
    this.#isWhole = false;
    this.#hangUp();
    this.#useToken();
  }

  async run(): Promise<never> {
    for (;;) {
      try {
        this.standing = 'connecting';
        await this.#connect();
        this.#losses = 0;
        this.standing = 'live';
        this.#say('live');
        await this.#follow();
      } catch (error) {
        if (!(error instanceof ConnectionLost)) throw error;
        this.standing = error.message === 'refused' ? 'refused' : 'away';
        this.#say(`offline: ${error.message}`);
      }
      this.#hangUp();
      this.#losses += 1;
      this.#everLost += 1;
      const pause = Math.min(15_000, 250 * 2 ** this.#losses) + this.#chance.below(250);
      await Promise.race([this.#time.sleep(pause), this.#tokenCame()]);
    }
  }

  async #connect(): Promise<void> {
    if (this.#resumes && this.#lastEvent !== null && this.#isWhole) return this.#goOn();
    const token = this.#token;
    this.held.clear();
    this.suspect.clear();
    this.#mustList = false;
    this.#isWhole = false;
    const uris = this.plan.era === 'modern' ? await this.#listen(await this.#list()) : await this.#begin();
    await this.#learn();
    for (const uri of uris) await this.#read(uri);
    // What was read with the one before may be what this one may not follow: it begins anew.
    if (token !== this.#token) throw new ConnectionLost('another token');
    this.#isWhole = true;
    // What was announced meanwhile waits in the queue.
  }

  async #follow(): Promise<void> {
    for (;;) {
      const stream = this.#stream;
      if (stream === null) throw new ConnectionLost('hung up');
      const silence = stream.lastSign + LEASE_MS - this.#time.elapsed;
      if (silence <= 0) throw new ConnectionLost('the stream has gone silent');
      const news = await this.#queue.next(this.#time.sleep(silence));
      if (news?.kind === 'ended') throw new ConnectionLost('the stream ended');
      if (news?.kind === 'updated') {
        await this.#learn();
        await this.#read(news.uri);
      }
      if (news?.kind === 'listed') await this.#relist();
    }
  }

  /** Lists again; follows what is new. When it is lost over that, it still has to. */
  async #relist(): Promise<void> {
    this.#mustList = false;
    try {
      await this.#followList();
    } catch (error) {
      this.#mustList = true;
      throw error;
    }
  }

  async #followList(): Promise<void> {
    const uris = await this.#list();
    const fresh = uris.filter((uri) => !this.held.has(uri));
    if (fresh.length === 0) return;
    // While one stream takes another's place it relies on neither.
    this.standing = 'connecting';
    // A stream that took another's place: what fell between the two is read again.
    const unread = this.plan.era === 'modern' ? await this.#listen(uris) : fresh;
    if (this.plan.era === 'legacy') for (const uri of fresh) await this.#call('resources/subscribe', { uri });
    await this.#learn();
    for (const uri of unread) await this.#read(uri);
    this.standing = 'live';
  }

  /** Opens a stream in place of the one before; what is created meanwhile is seen by listing once more. */
  async #listen(uris: readonly string[]): Promise<readonly string[]> {
    const earlier = this.#stream;
    const notifications = { resourceSubscriptions: uris, resourcesListChanged: true };
    const acknowledged = await this.#open(
      mcpExchange(this.#caller(), 'subscriptions/listen', { notifications }),
    );
    earlier?.close();
    const listed = await this.#list();
    return listed.every((uri) => acknowledged.includes(uri)) ? listed : this.#listen(listed);
  }

  /** Goes on with the session's stream, and catches up with what it was told and had not come to. */
  async #goOn(): Promise<void> {
    await this.#open(sessionStreamExchange(this.#caller(), this.#lastEvent));
    this.#say('goes on');
    if (this.#mustList) await this.#relist();
    for (const uri of [...this.suspect]) {
      await this.#learn();
      await this.#read(uri);
    }
  }

  /** Opens the session's stream, and a session where there is none, and subscribes to whatever is listed. */
  async #begin(): Promise<readonly string[]> {
    if (this.#session === null) {
      const opened = await this.#call('initialize', INITIALIZE);
      this.#session = opened.kind === 'result' ? opened.session : null;
    }
    await this.#open(sessionStreamExchange(this.#caller(), null));
    const uris = await this.#list();
    for (const uri of uris) await this.#call('resources/subscribe', { uri });
    return uris;
  }

  async #open(exchange: Exchange): Promise<readonly string[]> {
    const queue = new EventQueue();
    const reader = new EventReader();
    const stream = this.#network.open(exchange, {
      body: (bytes) => {
        for (const news of reader.read(bytes)) {
          if (this.#queue === queue && news.kind === 'updated') this.#suspect(news.uri);
          if (this.#queue === queue && news.kind === 'listed') this.#mustList = true;
          queue.put(news);
        }
        if (this.#queue === queue) this.#lastEvent = reader.lastId ?? this.#lastEvent;
      },
      ended: () => queue.put({ kind: 'ended' }),
    });
    if (stream === null) throw new ConnectionLost('unreachable');
    this.#stream = stream;
    this.#queue = queue;
    const first = await queue.next(this.#time.sleep(LEASE_MS));
    if (first?.kind === 'opened') return [];
    if (first?.kind === 'acknowledged') return first.uris;
    const status = stream.head?.status;
    if (status === 404) this.#forgetSession();
    throw new ConnectionLost(status === 401 ? 'refused' : `no stream (${status ?? 'silence'})`);
  }

  async #list(): Promise<readonly string[]> {
    const uris: string[] = [];
    let cursor: unknown;
    do {
      const page = await this.#call('resources/list', cursor === undefined ? {} : { cursor });
      if (page.kind !== 'result') throw new ConnectionLost('no list');
      for (const { uri } of page.result.resources as { uri: string }[]) if (uri !== CARD_URI) uris.push(uri);
      cursor = page.result.nextCursor;
    } while (cursor !== undefined);
    return uris;
  }

  async #read(uri: string): Promise<void> {
    const suspicion = this.#suspect(uri);
    const outcome = await this.#call('resources/read', { uri });
    // An announcement that came meanwhile may be of a version that this answer does not know.
    if (this.#suspicions.get(uri) === suspicion) this.suspect.delete(uri);
    if (outcome.kind !== 'result') {
      this.held.delete(uri);
      return;
    }
    const [content] = outcome.result.contents as { _meta: Readonly<Record<string, unknown>> }[];
    const version = Number(content?._meta['unsay/version']);
    const versionHash = String(content?._meta['unsay/versionHash']);
    this.held.set(uri, { version, versionHash });
    this.#say(`holds ${uri} v${version}`);
  }

  /**
   * Asks what changed until the cursor stands still: an answer is cut where it would be too long, and one whose
   * corrections were all withdrawn since is empty although more follow.
   */
  async #learn(): Promise<void> {
    for (let last: string | null = null; last === null || last !== this.#cursor; ) {
      last = this.#cursor;
      const after = this.#cursor === null ? {} : { after: this.#cursor };
      const outcome = await this.#call('tools/call', { name: 'whats_changed', arguments: after });
      if (outcome.kind !== 'result') throw new ConnectionLost('nobody says what changed');
      const { changes, cursor } = outcome.result.structuredContent as {
        changes: LearnedCorrection[];
        cursor: string;
      };
      this.#cursor = cursor;
      for (const { uri, version } of changes) {
        this.learned.push({ uri, version });
        this.#say(`learns of ${uri} v${version}`);
      }
    }
  }

  async #call(method: string, params: Readonly<Record<string, unknown>>): Promise<McpOutcome> {
    const answer = await this.#network.request(mcpExchange(this.#caller(), method, params));
    const outcome = readOutcome(answer);
    if (outcome.kind === 'nothing') throw new ConnectionLost(`no answer to ${method}`);
    if (outcome.kind === 'refused') {
      if (outcome.status === 404) this.#forgetSession();
      throw new ConnectionLost(outcome.status === 401 ? 'refused' : `${outcome.status} to ${method}`);
    }
    return outcome;
  }

  #tokenCame(): Promise<void> {
    return new Promise((resolve) => {
      this.#useToken = resolve;
    });
  }

  #suspect(uri: string): number {
    this.suspect.add(uri);
    this.#suspicions.set(uri, (this.#suspicions.get(uri) ?? 0) + 1);
    return this.#suspicions.get(uri) ?? 0;
  }

  #caller() {
    const { name: who, era } = this.plan;
    return { who, era, token: this.#token, session: this.#session };
  }

  #forgetSession(): void {
    this.#session = null;
    this.#isWhole = false;
  }

  #hangUp(): void {
    this.#stream?.close();
    this.#stream = null;
  }

  #say(what: string): void {
    this.#network.say(`${this.plan.name}: ${what}`);
  }
}
