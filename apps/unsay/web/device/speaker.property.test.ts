import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FactReader } from '../live/fact-reader.ts';
import { VirtualScheduler } from '../page/virtual-scheduler.ts';
import { MS_PER_WORD, silentEngine } from '../speech/silent-engine.ts';
import { GAIT, SampleServer, STAIRS, settle } from './sample-server.ts';
import { Speaker } from './speaker.ts';

const URIS = [GAIT, STAIRS] as const;

/** A page over a server, with every word checked as it begins. */
class World {
  readonly scheduler = new VirtualScheduler();
  readonly server = new SampleServer();
  readonly reader: FactReader;
  readonly speaker: Speaker;
  connected = false;

  constructor() {
    this.reader = new FactReader({
      scheduler: this.scheduler,
      chance: () => 0,
      events: {
        suspect: (uri) => this.speaker.suspect(uri),
        confirmed: (fact) => this.speaker.confirmed(fact),
        unconfirmed: (uri) => this.speaker.unconfirmed(uri),
        absent: (uri) => this.speaker.absent(uri),
      },
    });
    this.speaker = new Speaker({
      engine: silentEngine(this.scheduler),
      now: () => this.scheduler.now(),
      changed: () => this.#check(),
      source: {
        fact: (uri) => this.reader.fact(uri),
        standing: (uri) => this.reader.standing(uri),
        refresh: (uri) => void this.reader.refresh(uri),
        retractionFrom: this.server.retractionFrom,
      },
    });
  }

  async connect(): Promise<void> {
    if (this.connected) return;
    this.connected = true;
    this.reader.attach(this.server.read);
    const read = Promise.all(URIS.map((uri) => this.reader.refresh(uri)));
    await this.server.release();
    await read;
    this.speaker.connect();
    await settle();
  }

  disconnect(): void {
    this.connected = false;
    this.reader.detach();
    this.speaker.disconnect();
  }

  publish(uri: string): void {
    this.server.heads.set(uri, (this.server.heads.get(uri) ?? 0) + 1);
    if (this.connected) this.reader.announce(uri);
  }

  #check(): void {
    const { utterance, word } = this.speaker.caption;
    if (utterance === null || word === null) return;
    expect(this.connected).toBe(true);
    expect(this.reader.standing(utterance.uri)).toBe('confirmed');
    expect(this.reader.fact(utterance.uri)?.version).toBe(utterance.version);
  }

  /** The version of a fact that a person last heard words of, going by what was said. */
  heard(uri: string): number | null {
    const entries = this.speaker.said.filter(
      ({ utterance, heard }) => utterance.uri === uri && heard > utterance.newFrom,
    );
    return entries.at(-1)?.utterance.version ?? null;
  }
}

type Step = (world: World) => void | Promise<void>;

const uri = fc.constantFrom(...URIS);
const step: fc.Arbitrary<Step> = fc.oneof(
  uri.map(
    (target): Step =>
      ({ speaker }) =>
        speaker.say([target]),
  ),
  uri.map(
    (target): Step =>
      (world) =>
        world.publish(target),
  ),
  uri.map(
    (target): Step =>
      (world) =>
        void (world.connected && world.reader.announce(target)),
  ),
  fc.integer({ min: 1, max: 14 }).map(
    (words): Step =>
      async ({ scheduler }) => {
        for (let word = 0; word < words; word += 1) {
          scheduler.advance(MS_PER_WORD);
          await settle();
        }
      },
  ),
  fc.constant<Step>(({ server }) => server.hold()),
  fc.constant<Step>(({ server }) => server.holdRetractions()),
  fc.constant<Step>(({ server }) => server.release()),
  fc.boolean().map((failing): Step => {
    return ({ server }) => {
      server.failing = failing;
    };
  }),
  fc.constant<Step>((world) => world.disconnect()),
  fc.constant<Step>((world) => world.connect()),
);

test('whatever happens in whatever order: no old word begins, and in the end what was heard is what holds', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), async (steps) => {
      const world = new World();
      await world.connect();
      for (const run of steps) {
        await run(world);
        await settle();
      }
      world.server.failing = false;
      await world.server.release();
      await world.connect();
      for (let word = 0; word < 300; word += 1) {
        world.scheduler.advance(MS_PER_WORD);
        await settle();
      }
      expect(world.speaker.busy).toBe(false);
      for (const target of URIS) {
        expect([null, world.server.heads.get(target)]).toContain(world.heard(target));
      }
    }),
    { numRuns: 150 },
  );
});
