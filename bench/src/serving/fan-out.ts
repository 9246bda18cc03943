import { type Finding, finding } from '../mechanism/target.ts';
import { median } from '../statistics.ts';
import { fsyncMs } from './fsync.ts';
import { RawConnection } from './raw-connection.ts';
import { startScript } from './server-process.ts';
import type { Scene, Size } from './serving-scene.ts';
import { RAW_STREAMS, rawSide, type Side, unsaySide } from './sides.ts';
import { StreamLoad } from './stream-load.ts';

const READERS = 64;
const MOST_WARM_UP_ROUNDS = 5;

/** A side with its streams, and with the connections on which it is written to and read from again. */
interface Crowd extends Side {
  readonly streams: StreamLoad;
  readonly writer: RawConnection;
  readonly readers: readonly RawConnection[];
}

/** What one correction took, in milliseconds from its being sent. */
interface Told {
  readonly answered: number;
  readonly last: number;
  readonly reread: number;
  /** How many streams had been told when the writer had its answer. */
  readonly toldBefore: number;
}

/** One correction to many streams, each of which has it read again: Unsay and plain node:http in turns. */
export async function fanOut(scene: Scene, { streams, rounds }: Size): Promise<Finding[]> {
  const floor = await startScript(scene.cores, RAW_STREAMS, [JSON.stringify(scene.sample)]);
  scene.closers.push(floor.stop);
  const crowds = [
    await gathered(unsaySide(scene, scene.unsay)),
    await gathered(rawSide(scene, floor)),
  ] as const;
  try {
    const findings: Finding[] = [];
    for (const count of streams.toSorted((one, other) => one - other)) {
      for (const crowd of crowds) await crowd.streams.add(count - crowd.streams.open);
      findings.push(...(await measure(scene, crowds, count, rounds)));
    }
    return findings;
  } finally {
    for (const { streams: load, writer, readers } of crowds) {
      load.close();
      for (const connection of [writer, ...readers]) connection.close();
    }
  }
}

async function gathered(side: Side): Promise<Crowd> {
  const { port } = side;
  const readers = await Promise.all(Array.from({ length: READERS }, () => RawConnection.open(port)));
  return {
    ...side,
    streams: new StreamLoad(port, side.listen),
    writer: await RawConnection.open(port),
    readers,
  };
}

async function measure(
  { folder }: Scene,
  crowds: readonly Crowd[],
  count: number,
  rounds: number,
): Promise<Finding[]> {
  const taken = { unsay: [] as Told[], raw: [] as Told[] };
  for (let round = -Math.min(MOST_WARM_UP_ROUNDS, rounds); round < rounds; round += 1) {
    for (const crowd of round % 2 === 0 ? crowds : crowds.toReversed()) {
      const told = await correct(crowd);
      if (round >= 0) taken[crowd.name].push(told);
    }
  }
  const ratios = (what: 'last' | 'reread'): number[] =>
    taken.unsay.map((one, round) => one[what] / (taken.raw[round]?.[what] ?? Number.NaN));
  const beside = (what: keyof Told, digits: number): string =>
    (['unsay', 'raw'] as const)
      .map((name) => `${name} ${median(taken[name].map((told) => told[what])).toFixed(digits)}`)
      .join(', ');
  const writer =
    `writer answered after ${beside('answered', 1)} ms, streams told by then: ${beside('toldBefore', 0)}; ` +
    `unsay's answer is durable, fdatasync ${fsyncMs(folder).toFixed(2)} ms p50`;
  const what = `${count} streams`;
  return [
    finding(
      `${what}: the last is told ÷ raw`,
      'most',
      1.3,
      '×',
      ratios('last'),
      `${beside('last', 1)} ms; ${writer}`,
    ),
    finding(
      `${what}: all have read again ÷ raw`,
      'most',
      1.4,
      '×',
      ratios('reread'),
      `${beside('reread', 1)} ms`,
    ),
  ];
}

function correct({ streams: load, writer, readers, read, write }: Crowd): Promise<Told> {
  return new Promise((resolve, reject) => {
    const count = load.open;
    let told = 0;
    let done = 0;
    let answered = Number.NaN;
    let toldBefore = Number.NaN;
    let last = Number.NaN;
    let waiting = 0;
    const idle = [...readers];
    const begun = performance.now();
    const finish = (): void => {
      if (done < count || Number.isNaN(answered)) return;
      load.onUpdated = () => undefined;
      resolve({ answered, last, reread: performance.now() - begun, toldBefore });
    };
    const readAgain = (): void => {
      const reader = waiting > 0 ? idle.pop() : undefined;
      if (reader === undefined) return;
      waiting -= 1;
      reader.send(read).then(() => {
        idle.push(reader);
        done += 1;
        finish();
        readAgain();
      }, reject);
    };
    load.onUpdated = () => {
      told += 1;
      if (told === count) last = performance.now() - begun;
      waiting += 1;
      readAgain();
    };
    writer.send(write()).then(() => {
      answered = performance.now() - begun;
      toldBefore = told;
      finish();
    }, reject);
  });
}
