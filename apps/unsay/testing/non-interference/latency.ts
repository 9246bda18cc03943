import { type Asker, call, initialize } from './asker.ts';
import { chanceDistance, distanceBetween, type Summary, summaryOf } from './distribution.ts';
import type { OpenEngine } from './engine.ts';
import type { Era } from './trace.ts';
import { startWorld } from './world.ts';

/** One kind of read that is answered as absent, and the kind it must be like. URIs are equally long. */
interface Kind {
  readonly name: string;
  readonly uri: string;
  readonly like: string;
}

/** How long one kind of read took, in microseconds, and how far that is from the kind it must be like. */
export interface Latency {
  readonly name: string;
  readonly like: string;
  readonly took: Summary;
  /** Kolmogorov–Smirnov; 0 for the kind that others are compared with. */
  readonly distance: number;
  /** What two samples of this size differ by when nothing distinguishes them, in 99 of 100 cases. */
  readonly byChance: number;
}

const NO_SCOPE = 'absent, no scope for it';
const IN_SCOPE = 'absent, scope held';
const OTHER_SUBJECT = 'absent, subject not granted';

// Equal names are equal lengths; `ray` is granted and `mia` is not.
const KINDS: readonly Kind[] = [
  { name: NO_SCOPE, uri: 'care-internal://ray/none', like: NO_SCOPE },
  { name: 'forbidden: internal, there', uri: 'care-internal://ray/risk', like: NO_SCOPE },
  { name: IN_SCOPE, uri: 'care://ray/none', like: IN_SCOPE },
  { name: 'forbidden: internal, by the spoken name', uri: 'care://ray/risk', like: IN_SCOPE },
  { name: OTHER_SUBJECT, uri: 'care://mia/none', like: OTHER_SUBJECT },
  { name: 'forbidden: of another subject', uri: 'care://mia/diet', like: OTHER_SUBJECT },
  { name: 'malformed', uri: 'care://RAY/none', like: OTHER_SUBJECT },
];
const THERE = ['care-internal://ray/risk', 'care://mia/diet', 'care://ray/walk'];
const WARM_UP = 50;

/**
 * Measures `count` reads of each kind by a device, one after the other, the kinds taking turns in an order
 * that changes, so that a machine which slows down slows all of them down.
 */
export async function measureLatency(
  openEngine: OpenEngine,
  era: Era,
  count: number,
): Promise<readonly Latency[]> {
  const world = await startWorld(openEngine, null);
  try {
    const asker = async (scopes: readonly string[], subjects: readonly string[]): Promise<Asker> => {
      const token = await world.mint({ sub: 's', clientId: 'c', scopes, subjects, ttlSeconds: 3600 });
      const kept = { session: null, listCursor: null, changesCursor: null, lastEvent: null };
      return { world, token, kept, streams: [] };
    };
    const writer = await asker(['care.read.user', 'care.read.assistant', 'care.write'], ['*']);
    for (const uri of THERE) await write(writer, uri);
    const device = await asker(['care.read.user'], ['ray']);
    await initialize(device);
    const samples = new Map(KINDS.map(({ name }) => [name, [] as number[]]));
    for (let round = -WARM_UP; round < count; round += 1) {
      for (let turn = 0; turn < KINDS.length; turn += 1) {
        // Seven is prime: every stride from 1 to 6 visits every kind once.
        const kind = KINDS[(turn * (1 + (Math.abs(round) % (KINDS.length - 1)))) % KINDS.length];
        if (kind === undefined) throw new Error('a turn of nobody');
        const took = await readTook(device, era, kind.uri);
        if (round >= 0) samples.get(kind.name)?.push(took);
      }
    }
    return KINDS.map(({ name, like }) => {
      const [own, other] = [samples.get(name) ?? [], samples.get(like) ?? []];
      const distance = name === like ? 0 : distanceBetween(own, other);
      return {
        name,
        like,
        took: summaryOf(own),
        distance,
        byChance: chanceDistance(own.length, other.length),
      };
    });
  } finally {
    await world.close();
  }
}

/** A table for people. Nothing is decided from it: a busy machine must not fail a run. */
export function latencyTable(title: string, latencies: readonly Latency[]): string {
  const rows = latencies.map(({ name, like, took, distance, byChance }) => {
    const numbers = [took.p50, took.p95, took.p99].map((value) => value.toFixed(0).padStart(6)).join(' ');
    const compared = name === like ? 'reference' : `${distance.toFixed(3)} (chance ${byChance.toFixed(3)})`;
    return `${name.padEnd(42)} ${String(took.count).padStart(6)} ${numbers}  ${compared}`;
  });
  const head = `${title.padEnd(42)} ${'n'.padStart(6)} ${'p50'.padStart(6)} ${'p95'.padStart(6)} ${'p99'.padStart(6)}  KS distance`;
  return [head, ...rows, ''].join('\n');
}

async function readTook(device: Asker, era: Era, uri: string): Promise<number> {
  const begun = performance.now();
  const answer = await call(device, era, 'resources/read', { uri });
  const took = (performance.now() - begun) * 1000;
  if (!answer.includes('Resource not found')) throw new Error(`${uri} was not answered as absent`);
  return took;
}

async function write({ world, token }: Asker, uri: string): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}` };
  const body = JSON.stringify({ uri, value: 'Walk 5 minutes.', authorId: 'author' });
  const answer = await world.wire.request({ method: 'POST', path: '/write', headers, body });
  if (!answer.includes(' 201 ')) throw new Error(`${uri} was not written`);
}
