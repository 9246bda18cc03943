import { type Clock, seededRandomness } from '@unsay/live-resources';
import { type Chance, createChance } from './chance.ts';
import { createEngine, type Engine, type EngineName } from './engines.ts';
import { Inspector } from './inspector.ts';
import { brokenAtTheEnd, silentlyStale } from './invariants.ts';
import { Ledger } from './ledger.ts';
import { Listener } from './listener.ts';
import { Network } from './network.ts';
import { issuerOf, type Node, startNode } from './node.ts';
import { EVERY_URI, LISTENERS, type Rights, writerRights } from './people.ts';
import type { Plant } from './plant.ts';
import { round, Turns } from './turns.ts';
import { VirtualTime } from './virtual-time.ts';
import { Writer } from './writer.ts';

/** What a run is: the same of these is the same run, to the byte. */
export interface RunOptions {
  readonly seed: number;
  readonly engine: EngineName;
  /** How many steps are taken before the network is healed; {@link STEPS} where it is left out. */
  readonly steps?: number;
  readonly plant?: Plant | null;
}

/** How a run ended. */
export interface RunReport {
  readonly seed: number;
  /** Everything that happened, in order. */
  readonly trace: readonly string[];
  /** The first promise that was broken, in a sentence; null when all were kept. */
  readonly broken: string | null;
  readonly steps: number;
  readonly writes: number;
  readonly kills: number;
}

/** How many steps a run usually takes. */
export const STEPS = 60;

const START = Date.parse('2026-12-01T09:00:00Z');
const WRITERS = ['nurse', 'doctor', 'clerk', 'system'];
const LONG_SECONDS = 100_000;
const AGE_SECONDS = 3600;
const HEALING_MS = 35_000;
const COMING_BACK_MS = 5000;
const LAST_WRITES = 8;
const QUIET_MS = 12_000;

/** Lives through one seed: everything that can go wrong does, then nothing any more, and then all is compared. */
export async function simulate({
  seed,
  engine,
  steps = STEPS,
  plant = null,
}: RunOptions): Promise<RunReport> {
  const chance = createChance(seed);
  const kept = createEngine(engine, chance);
  const run = new Run(seed, chance, kept, plant);
  try {
    return await run.live(steps);
  } finally {
    kept.close();
  }
}

class Run {
  readonly #seed: number;
  readonly #chance: Chance;
  readonly #engine: Engine;
  readonly #plant: Plant | null;
  readonly #time = new VirtualTime();
  readonly #ledger = new Ledger();
  readonly #turns: Turns;
  readonly #clock: Clock;
  readonly #inspector: Inspector;
  readonly #network: Network;
  readonly #trace: string[] = [];
  readonly #idle: Writer[] = [];
  readonly #listeners: Listener[] = [];
  readonly #running = new Set<Listener>();
  #failure: unknown = null;
  #clockOffset = 0;
  #lives = 0;
  #tokens = 0;
  #node: Node | null = null;

  constructor(seed: number, chance: Chance, engine: Engine, plant: Plant | null) {
    this.#seed = seed;
    this.#chance = chance;
    this.#engine = engine;
    this.#plant = plant;
    this.#turns = new Turns(chance);
    this.#clock = { now: () => START + this.#time.elapsed + this.#clockOffset };
    const [time, ledger, clock] = [this.#time, this.#ledger, this.#clock];
    this.#inspector = new Inspector({ ledger, time, clock, onAnswer: () => engine.answered() });
    this.#network = new Network({
      chance,
      time,
      turns: this.#turns,
      watch: this.#inspector,
      say: (line) => this.#say(line),
    });
  }

  async live(steps: number): Promise<RunReport> {
    await this.#begin();
    let taken = 0;
    while (taken < steps && !this.#isOver()) {
      await this.#step();
      taken += 1;
    }
    if (!this.#isOver()) await this.#heal();
    if (this.#failure !== null) throw this.#failure;
    if (!this.#isOver() && this.#node !== null)
      for (const sentence of await brokenAtTheEnd(this.#node.store, this.#ledger, this.#listening()))
        this.#ledger.fault(sentence);
    const [broken = null] = this.#ledger.broken;
    if (broken !== null) this.#say(`BROKEN: ${broken}`);
    return {
      seed: this.#seed,
      trace: this.#trace,
      broken,
      steps: taken,
      writes: this.#ledger.writes.length,
      kills: this.#lives - 1,
    };
  }

  async #begin(): Promise<void> {
    await this.#startNode();
    const parts = { ledger: this.#ledger, network: this.#network, time: this.#time, chance: this.#chance };
    const filling = this.#chance.happens(0.06) ? 60_000 : 0;
    const habits = { filling, contested: this.#chance.one(EVERY_URI) };
    for (const name of WRITERS) {
      const token = name === 'system' ? null : await this.#mint(writerRights(name), LONG_SECONDS);
      this.#idle.push(new Writer({ name, token, epochMs: START }, habits, parts));
    }
    for (const plan of LISTENERS) {
      const listener = new Listener(plan, await this.#mint(plan.rights, this.#ttl()), parts);
      this.#listeners.push(listener);
      if (this.#chance.happens(0.6)) this.#joinIn(listener);
    }
  }

  /** One thing happens, or nothing; then some of what goes on goes on. */
  async #step(): Promise<void> {
    const what = this.#chance.below(100);
    if (what < 40)
      for (let writes = this.#chance.one([1, 1, 1, WRITERS.length]); writes > 0; writes -= 1) this.#write();
    else if (what < 50) this.#joinIn(this.#chance.one(this.#listeners));
    else if (what < 61) this.#breakStream();
    else if (what < 66) await this.#kill();
    else if (what < 71) await this.#changeRights();
    else if (what < 74) this.#stepClock();
    else await this.#pass(this.#chance.between(1, this.#chance.happens(0.2) ? 20_000 : 4000));
    if (this.#node === null && this.#chance.happens(0.5)) await this.#startNode();
    // Rarely to the end: what is under way when the next thing happens is what a run is about.
    if (this.#chance.happens(0.5)) await this.#turns.settle(this.#chance.below(12));
    else await this.#turns.settle();
  }

  #write(): void {
    const writer = this.#idle.splice(this.#chance.below(this.#idle.length), 1)[0];
    if (writer === undefined) return;
    this.#goOn(writer.write().then(() => void this.#idle.push(writer)));
  }

  #joinIn(listener: Listener): void {
    if (this.#running.has(listener)) return;
    this.#running.add(listener);
    this.#goOn(listener.run());
  }

  #breakStream(): void {
    const { streams } = this.#network;
    if (streams.length === 0) return;
    const stream = this.#chance.one(streams);
    const how = this.#chance.below(4);
    this.#say(
      ['a stream breaks', 'a stream breaks in a frame', 'a stream stalls', 'a stream slows down'][how] ?? '',
    );
    if (how === 0) stream.cut(this.#chance.one([0, 700, 30_000, null]));
    if (how === 1) stream.cutAfter(this.#chance.below(150));
    if (how === 2) {
      stream.stall();
      this.#time.after(this.#chance.between(1000, 40_000), () => stream.resume());
    }
    if (how === 3) stream.delayMs = this.#chance.between(100, 5000);
  }

  async #kill(): Promise<void> {
    if (this.#node === null) return;
    // Most is lost by a kill between a commit and its answer: so it often comes while something is written.
    if (this.#chance.happens(0.5)) {
      this.#write();
      await this.#turns.settleUntil('after append');
    }
    // In the middle of what a turn began, too.
    if (this.#chance.happens(0.5)) {
      for (let turns = this.#chance.between(1, 3); turns > 0; turns -= 1) this.#turns.give();
      for (let rounds = this.#chance.below(3); rounds > 0; rounds -= 1) await round();
    }
    this.#say('the node is killed');
    this.#node.kill();
    this.#node = null;
    this.#network.crashed();
    await this.#turns.drain();
  }

  async #startNode(): Promise<void> {
    const [engine, clock, time, turns, plant] = [
      this.#engine,
      this.#clock,
      this.#time,
      this.#turns,
      this.#plant,
    ];
    const randomness = seededRandomness(`simulation ${this.#seed}, life ${this.#lives}`);
    this.#node = await startNode({ engine, clock, time, turns, randomness, earlier: this.#lives, plant });
    this.#lives += 1;
    this.#network.server = this.#node;
    this.#say(`node ${this.#lives} starts`);
  }

  /** A listener's token ends before its time, or its rights grow or shrink with the next one. */
  async #changeRights(): Promise<void> {
    const listener = this.#chance.one(this.#listeners);
    const { token, plan } = listener;
    const rights = this.#chance.happens(0.5) ? plan.narrowed : plan.rights;
    if (this.#node !== null && this.#inspector.isLive(token) && this.#chance.happens(0.6)) {
      await this.#node.revoke(token);
      this.#inspector.revoked(token);
      this.#say(`${plan.name}: the token is revoked`);
      if (this.#chance.happens(0.5)) return;
    }
    await this.#giveToken(listener, rights);
  }

  async #giveToken(listener: Listener, rights: Rights): Promise<void> {
    const { plan } = listener;
    listener.use(await this.#mint(rights, this.#ttl()), rights);
    this.#say(`${plan.name}: has another token, ${rights === plan.rights ? 'full' : 'narrowed'}`);
  }

  #stepClock(): void {
    this.#clockOffset = this.#chance.between(-200_000, 100_000);
    this.#inspector.clockStepped();
    this.#say(`the server's clock is set by ${this.#clockOffset} ms`);
  }

  async #pass(allMs: number): Promise<void> {
    let left = allMs;
    while (left > 0 && !this.#isOver()) {
      const ms = Math.min(1000, left);
      await this.#time.advance(ms, () => this.#turns.settle());
      left -= ms;
      for (const sentence of silentlyStale(this.#ledger, this.#listening(), this.#time.elapsed))
        this.#ledger.fault(sentence);
    }
  }

  /** From here on nothing fails. Whoever missed something must find out without being told to. */
  async #heal(): Promise<void> {
    this.#say('the network is healed');
    this.#network.heal();
    this.#clockOffset = 0;
    this.#inspector.clockStepped();
    // Once more a new life, so that what its beginning loses shows in what follows.
    if (this.#chance.happens(0.5)) await this.#kill();
    if (this.#node === null) await this.#startNode();
    for (const listener of this.#listeners) this.#joinIn(listener);
    await this.#pass(HEALING_MS);
    if (this.#chance.happens(0.5)) {
      const listener = this.#chance.one(this.#listeners);
      await this.#giveToken(listener, listener.plan.narrowed);
      await this.#pass(COMING_BACK_MS);
    }
    const losses = new Map(
      this.#listening()
        .filter(({ believesLive }) => believesLive)
        .map((listener) => [listener, listener.losses]),
    );
    // Everyone is there and nothing breaks: what is missed now would be missed for good.
    for (let writes = 0; writes < LAST_WRITES; writes += 1) {
      this.#write();
      await this.#pass(this.#chance.between(1, 1000));
    }
    await this.#pass(QUIET_MS);
    for (const listener of this.#listening()) {
      if (listener.losses !== (losses.get(listener) ?? listener.losses))
        this.#ledger.fault(`${listener.plan.name} lost its stream although nothing fails any more`);
    }
  }

  #listening(): readonly Listener[] {
    return this.#listeners.filter(
      (listener) => this.#running.has(listener) && this.#inspector.isLive(listener.token),
    );
  }

  async #mint(rights: Rights, ttlSeconds: number): Promise<string> {
    this.#tokens += 1;
    const randomness = seededRandomness(`simulation ${this.#seed}, token ${this.#tokens}`);
    // Long enough ago that a clock which is set back does not make it one of the future.
    const clock = { now: () => this.#clock.now() - AGE_SECONDS * 1000 };
    const grant = { ...rights, ttlSeconds: ttlSeconds + AGE_SECONDS };
    const minted = await this.#turns.beside(() => issuerOf(clock, randomness).mint(grant));
    if (minted.kind !== 'minted') throw new Error(`no token was minted: ${minted.fault}`);
    const known = { rights, expiresAt: minted.expiresAt * 1000, revokedAt: null };
    this.#inspector.know(minted.token, known);
    return minted.token;
  }

  #ttl(): number {
    return this.#chance.happens(0.3) ? this.#chance.between(20, 120) : LONG_SECONDS;
  }

  #goOn(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#failure ??= error;
    });
  }

  #isOver(): boolean {
    return this.#failure !== null || this.#ledger.broken.length > 0;
  }

  #say(line: string): void {
    this.#trace.push(`${(this.#time.elapsed / 1000).toFixed(3).padStart(9)} s  ${line}`);
  }
}
