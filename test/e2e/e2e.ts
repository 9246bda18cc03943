/** `npm run e2e`: the whole story against a server of its own, in the server's own words. Exits 1 where a step does not hold. */
import { removeFolder, temporaryFolder } from '../harness/running-server.ts';
import { CORRECTION_STEPS } from './correction-steps.ts';
import { ENDURANCE_STEPS } from './endurance-steps.ts';
import { READING_STEPS } from './reading-steps.ts';
import { REFUSAL_STEPS } from './refusal-steps.ts';
import { tellAll } from './story.ts';
import { World } from './world.ts';

const USAGE = `Usage: npm run e2e

Tells the whole story, step by step, on a server of its own. Exits 1 where a step does not hold.
`;
const args = process.argv.slice(2);
if (args.length > 0) {
  const asked = args.every((arg) => arg === '--help' || arg === '-h');
  (asked ? process.stdout : process.stderr).write(asked ? USAGE : `There is no option ${args[0]}.\n${USAGE}`);
  process.exit(asked ? 0 : 2);
}

const data = temporaryFolder();
const world = new World(data);

async function clear(): Promise<void> {
  await world.end();
  removeFolder(data);
}

// The server is in a process group of its own: Ctrl-C here does not reach it.
let interrupted = false;
process.once('SIGINT', () => {
  interrupted = true;
  void clear().finally(() => process.exit(130));
});

function print(line: string): void {
  if (!interrupted) process.stdout.write(`${line}\n`);
}

try {
  const steps = [...READING_STEPS, ...CORRECTION_STEPS, ...REFUSAL_STEPS, ...ENDURANCE_STEPS];
  process.exitCode = (await tellAll(steps, world, print)) ? 0 : 1;
} finally {
  await clear();
}
