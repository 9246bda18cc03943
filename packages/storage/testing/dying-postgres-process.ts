// Makes sample publications side by side in the database it is given, and kills itself right before a step of its
// choice. A step is sending a query, having its answer, and telling that a version was written; `last` is telling of
// the last version, in whatever steps they were written. Says `NAME URI/vN HASH` once a publication was answered, and `steps N` when it outlives all.
import { Pool } from 'pg';
import { openPostgres } from '../src/postgres/open-postgres.ts';
import { postgresStoreOn } from './open-postgres-store.ts';
import { liveOn, publishOn, type SamplePublication, SIDE_BY_SIDE } from './publications.ts';
import { watchedPool } from './watched-pool.ts';

const [url = '', fatalStep = '0'] = process.argv.slice(2);
let [hasBegun, steps, told] = [false, 0, 0];

function step(): void {
  if (!hasBegun) return;
  steps += 1;
  if (steps === Number(fatalStep)) process.kill(process.pid, 'SIGKILL');
}

async function make(sample: SamplePublication): Promise<void> {
  const { uri, version, versionHash } = await publishOn(live, sample);
  step();
  told += 1;
  if (fatalStep === 'last' && told === SIDE_BY_SIDE.length) process.kill(process.pid, 'SIGKILL');
  console.log(`${sample.name} ${uri}/v${version} ${versionHash}`);
}

const pool = watchedPool(new Pool({ connectionString: url }), step, step);
const db = await openPostgres({ pool, name: 'the test', clock: { now: () => 0 } });
const live = liveOn(await postgresStoreOn(db));
hasBegun = true;
await Promise.all(SIDE_BY_SIDE.map(make));
console.log(`steps ${steps}`);
await db.close();
