import { fileURLToPath } from 'node:url';
import { type Finding, finding } from '../mechanism/target.ts';
import { median } from '../statistics.ts';
import { modernRequest, writeRequest } from './mcp-wire.ts';
import { RawConnection, wireRequest } from './raw-connection.ts';
import { residentKib, startScript } from './server-process.ts';
import { FACT, type Scene, type Size } from './serving-scene.ts';
import { StreamLoad } from './stream-load.ts';

const RAW_STREAMS = fileURLToPath(new URL('raw-streams.ts', import.meta.url));
/** Streams that are open before memory is looked at, so that what is made once is not counted. */
const WARM_STREAMS = 200;
const READERS = 64;

/** One of the two that are compared, with its streams. */
interface Side {
  readonly name: string;
  readonly pid: number;
  readonly streams: StreamLoad;
  readonly writer: RawConnection;
  readonly readers: readonly RawConnection[];
  readonly read: Buffer;
  write(): Buffer;
}

/** What one correction took, in milliseconds from its being sent. */
interface FanOut {
  readonly answered: number;
  readonly last: number;
  readonly reread: number;
  /** How many streams had been told when the writer had its answer. */
  readonly toldBefore: number;
}

/** Memory of an idle stream, and one correction to many: Unsay and plain node:http in turns. */
export async function streams(scene: Scene, size: Size): Promise<Finding[]> {
  const floor = await startScript(scene.cores, RAW_STREAMS, [JSON.stringify(scene.sample)]);
  scene.closers.push(floor.stop);
  const sides = [await unsaySide(scene), await rawSide(scene, floor)];
  const memory = new Map<string, number>();
  const most = Math.max(...size.streams);
  const findings: Finding[] = [];
  for (const side of sides) await side.streams.add(WARM_STREAMS);
  for (const count of [...size.streams].sort((one, other) => one - other)) {
    for (const side of sides) {
      const before = residentKib(side.pid);
      const added = count - side.streams.open;
      await side.streams.add(added);
      memory.set(`${side.name} ${count}`, (await settledKib(side.pid)) - before);
      memory.set(`${side.name} ${count} added`, added);
    }
    findings.push(...(await fanOut(sides, count, size.rounds)));
  }
  const each = (name: string): number =>
    (memory.get(`${name} ${most}`) ?? 0) / (memory.get(`${name} ${most} added`) ?? 1);
  const beside = `unsay ${each('unsay').toFixed(1)} KiB, raw ${each('raw').toFixed(1)} KiB a stream, ${most} open`;
  findings.push(
    finding('memory of a stream ÷ raw stream', 'most', 1.5, '×', [each('unsay') / each('raw')], beside),
  );
  for (const { streams: load, writer, readers } of sides) {
    load.close();
    for (const connection of [writer, ...readers]) connection.close();
  }
  return findings;
}

/** What is left when a collector had a moment: the least of a few looks. */
async function settledKib(pid: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let look = 0; look < 8; look += 1) {
    await new Promise((resolve) => setTimeout(resolve, 250));
    least = Math.min(least, residentKib(pid));
  }
  return least;
}

async function fanOut(sides: readonly Side[], count: number, rounds: number): Promise<Finding[]> {
  const taken = new Map<string, FanOut[]>(sides.map(({ name }) => [name, []]));
  for (let round = -2; round < rounds; round += 1) {
    for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
      const one = await correct(side);
      if (round >= 0) taken.get(side.name)?.push(one);
    }
  }
  const of = (name: string): readonly FanOut[] => taken.get(name) ?? [];
  const ratios = (what: 'last' | 'reread'): number[] =>
    of('unsay').map((one, index) => one[what] / (of('raw')[index]?.[what] ?? Number.NaN));
  const beside = (what: keyof FanOut): string =>
    ['unsay', 'raw']
      .map((name) => `${name} ${median(of(name).map((one) => one[what])).toFixed(1)}`)
      .join(', ');
  const writer = `the writer had its answer after ${beside('answered')} ms, when so many had been told: ${beside('toldBefore')}`;
  return [
    finding(
      `${count} streams: the last is told ÷ raw`,
      'most',
      1.3,
      '×',
      ratios('last'),
      `${beside('last')} ms; ${writer}`,
    ),
    finding(
      `${count} streams: all have read again ÷ raw`,
      'most',
      1.4,
      '×',
      ratios('reread'),
      `${beside('reread')} ms`,
    ),
  ];
}

function correct({ streams: load, writer, readers, read, write }: Side): Promise<FanOut> {
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

async function unsaySide({ port, pid, unsay, secret }: Scene): Promise<Side> {
  let version = 0;
  const listen = modernRequest(
    'subscriptions/listen',
    { notifications: { resourceSubscriptions: [FACT] } },
    unsay.token,
  );
  return {
    name: 'unsay',
    pid,
    streams: new StreamLoad(port, listen),
    ...(await connections(port)),
    read: modernRequest('resources/read', { uri: FACT }, unsay.token, FACT),
    write() {
      version += 1;
      return writeRequest(FACT, `Keep the dressing dry for ${version} days.`, secret);
    },
  };
}

async function rawSide(scene: Scene, { port, pid }: { port: number; pid: number }): Promise<Side> {
  const filter = { notifications: { resourceSubscriptions: [FACT] } };
  const value = JSON.stringify({ uri: FACT, value: 'Keep the dressing dry for 1 days.', authorId: 'bench' });
  return {
    name: 'raw',
    pid,
    streams: new StreamLoad(port, modernRequest('subscriptions/listen', filter, scene.unsay.token)),
    ...(await connections(port)),
    read: modernRequest('resources/read', { uri: FACT }, scene.unsay.token, FACT),
    write: () => wireRequest('POST', '/write', { 'content-type': 'application/json' }, value),
  };
}

async function connections(port: number): Promise<Pick<Side, 'writer' | 'readers'>> {
  const opening = Array.from({ length: READERS }, () => RawConnection.open(port));
  return { writer: await RawConnection.open(port), readers: await Promise.all(opening) };
}
