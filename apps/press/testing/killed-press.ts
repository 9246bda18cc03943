/**
 * A Press that kills itself, with SIGKILL, at one step of the next change: `killed-press.ts FOLDER STEP`. It prints its
 * address when it answers.
 */
import { serveOnNode } from '../src/http/node-server.ts';
import { openPress } from '../src/open-press.ts';
import { createPress } from '../src/press.ts';
import type { Step } from './steps.ts';

const [folder = '', step = 'never'] = process.argv.slice(2) as [string?, Step?];
const die = (at: Step): void => {
  if (at === step) process.kill(process.pid, 'SIGKILL');
};

const parts = await openPress(folder, { now: () => Date.now(), draw: () => new Uint8Array(32) });
const { repository, database } = parts;
const marks = new Map<number, Step>([
  [1, 'after the database'],
  [2, 'after the index'],
]);
let [committed, batches] = [false, 0];

const press = createPress({
  ...parts,
  repository: {
    ...repository,
    async commit(draft) {
      die('before the commit');
      if (step === 'during the commit') {
        // git is on its way and nobody waits for it.
        void repository.commit(draft);
        setImmediate(() => process.kill(process.pid, 'SIGKILL'));
        return new Promise(() => undefined);
      }
      const outcome = await repository.commit(draft);
      die('after the commit');
      committed = true;
      return outcome;
    },
  },
  database: {
    prepare: (sql) => database.prepare(sql),
    async batch(statements) {
      const outcomes = await database.batch(statements);
      batches += committed ? 1 : 0;
      const mark = marks.get(batches);
      if (mark !== undefined) die(mark);
      return outcomes;
    },
  },
  site: () => ({ title: 'Far Post', description: 'A made-up harbour.', url: 'http://127.0.0.1' }),
  onFault: (error) => {
    throw error;
  },
});
const { url } = await serveOnNode(press, { host: '127.0.0.1', port: 0 });
process.stdout.write(`${url}\n`);
