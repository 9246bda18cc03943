import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { median } from '../statistics.ts';
import { openScene, type Scene } from './scene.ts';
import { type Finding, finding } from './target.ts';

const WARM_UP = 1000;
const ROUNDS = 9;
const IN_A_ROUND = 120;
const WRITERS = 64;
const TURNS = 12;

/** One writer beside the least that a durable write can be; then many writers beside one. */
export async function publishing(folder: string): Promise<Finding[]> {
  const scene = await openScene(folder, 'publishing');
  const bare = twoRows(join(folder, 'bare.db'));
  try {
    for (let count = 0; count < WARM_UP; count += 1) {
      await scene.publish(topic(count));
      bare.commit();
    }
    for (let count = 0; count < 10; count += 1)
      await Promise.all([manyTo(scene, sameLane), manyTo(scene, lanes)]);
    return [await besideBare(scene, bare.commit), ...(await together(scene))];
  } finally {
    scene.close();
    bare.close();
  }
}

const topic = (count: number): string => `fact://ray/topic-${count % WRITERS}`;
const sameLane = (writer: number): string => topic(writer);
const lanes = (writer: number): string => `fact://subject-${writer}/topic`;

async function besideBare(scene: Scene, commit: () => void): Promise<Finding> {
  const [ratios, published, bare]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let count = 0; count < IN_A_ROUND; count += 1) {
      ours.push(await timed(() => scene.publish(topic(count))));
      theirs.push(await timed(commit));
    }
    ratios.push(median(ours) / median(theirs));
    published.push(...ours);
    bare.push(...theirs);
  }
  return finding(
    'publication, sealed ÷ bare transaction of two rows (p50)',
    'most',
    1.5,
    '',
    ratios,
    `${median(published).toFixed(3)} ms ÷ ${median(bare).toFixed(3)} ms`,
  );
}

/** Many writers beside one, in the same round: all to one lane, and each to a lane of its own. */
async function together(scene: Scene): Promise<Finding[]> {
  const [one, inOneLane, inManyLanes]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < ROUNDS; round += 1) {
    const alone = await timed(async () => {
      for (let count = 0; count < IN_A_ROUND; count += 1) await scene.publish(topic(0));
    });
    one.push((IN_A_ROUND / alone) * 1000);
    inOneLane.push(rateOf(await timed(() => manyTo(scene, sameLane))));
    inManyLanes.push(rateOf(await timed(() => manyTo(scene, lanes))));
  }
  const ratio = (many: readonly number[]): number[] =>
    many.map((rate, round) => rate / (one[round] ?? Number.NaN));
  const beside = (many: readonly number[]): string =>
    `${median(many).toFixed(0)}/s ÷ ${median(one).toFixed(0)}/s`;
  const what = `${WRITERS} writers ÷ one (rate)`;
  return [
    finding(`${what}, in one lane`, 'least', 6, '', ratio(inOneLane), beside(inOneLane)),
    finding(`${what}, in a lane each`, 'least', 6, '', ratio(inManyLanes), beside(inManyLanes)),
  ];
}

const rateOf = (milliseconds: number): number => ((WRITERS * TURNS) / milliseconds) * 1000;

async function manyTo(scene: Scene, uriOf: (writer: number) => string): Promise<void> {
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    for (let turn = 0; turn < TURNS; turn += 1) await scene.publish(uriOf(writer));
  });
  await Promise.all(writers);
}

/** Two rows with as many bytes as the version and the journal entry of a publication have. */
function twoRows(file: string): { commit(): void; close(): void } {
  const db = new DatabaseSync(file);
  db.exec(`
    PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
    CREATE TABLE versions (id INTEGER PRIMARY KEY, bytes BLOB); CREATE TABLE journal (id INTEGER PRIMARY KEY, bytes BLOB);
  `);
  const version = db.prepare('INSERT INTO versions (bytes) VALUES (?)');
  const entry = db.prepare('INSERT INTO journal (bytes) VALUES (?)');
  const [long, short] = [randomBytes(900), randomBytes(120)];
  return {
    commit() {
      db.exec('BEGIN IMMEDIATE');
      version.run(long);
      entry.run(short);
      db.exec('COMMIT');
    },
    close: () => db.close(),
  };
}

async function timed(work: () => unknown): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
