// Makes sample publications in the folder it is given, one after the other or side by side, and kills itself
// right before a step of its choice. A step is each call of the engine, whatever the statement, then telling
// that a version was written, then what follows that. Says `NAME URI/vN HASH` once a publication was answered,
// and `steps N` when it outlives all.
import { DatabaseSync, StatementSync } from 'node:sqlite';
import { openDatabase } from '../src/sqlite/open-database.ts';
import { storeOn } from './open-sqlite-store.ts';
import { liveOn, PUBLICATIONS, publishOn, type SamplePublication, SIDE_BY_SIDE } from './publications.ts';

const [folder = '', order = '', fatalStep = '0'] = process.argv.slice(2);
let [hasBegun, steps] = [false, 0];

function step(): void {
  if (!hasBegun) return;
  steps += 1;
  if (steps === Number(fatalStep)) process.kill(process.pid, 'SIGKILL');
}

/** Has every call of a method counted as a step, and then made as before. */
function count(prototype: object, name: string): void {
  const call: unknown = Reflect.get(prototype, name);
  if (typeof call !== 'function') throw new Error(`the engine has no ${name}`);
  Reflect.set(prototype, name, function (this: unknown, ...parameters: unknown[]): unknown {
    step();
    return Reflect.apply(call, this, parameters);
  });
}

for (const name of ['get', 'all', 'run']) count(StatementSync.prototype, name);
count(DatabaseSync.prototype, 'exec');

async function make(sample: SamplePublication): Promise<void> {
  const { uri, version, versionHash } = await publishOn(live, sample);
  step();
  console.log(`${sample.name} ${uri}/v${version} ${versionHash}`);
  step();
}

const live = liveOn(await storeOn(openDatabase(folder)));
hasBegun = true;
if (order === 'side by side') await Promise.all(SIDE_BY_SIDE.map(make));
else for (const sample of PUBLICATIONS) await make(sample);
console.log(`steps ${steps}`);
