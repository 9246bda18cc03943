/** `npm run probe:resume`: what a client is told that lost its stream. Exits 1 where something does not hold. */
import { tellAll } from '../e2e/story.ts';
import { onInterrupt } from '../harness/on-interrupt.ts';
import { removeFolder, temporaryFolder } from '../harness/running-server.ts';
import { RESUME_STEPS, ResumeWorld } from './resume-steps.ts';

const USAGE = `Usage: npm run probe:resume

Starts Unsay on a folder of its own and loses a listener's stream on purpose: three corrections are written while
nobody listens, the listener comes back, and must be told of all three, in order, once. Told of the older era (also
with a kill in between, and with the very first event missed), and of the newer through the Events extension.

Exits 0 when all of it held, 1 when something did not, 2 when it was called wrongly.
`;

const args = process.argv.slice(2);
if (args.length > 0) {
  const asked = args.length === 1 && ['--help', '-h'].includes(args[0] ?? '');
  process[asked ? 'stdout' : 'stderr'].write(USAGE);
  process.exitCode = asked ? 0 : 2;
} else {
  process.exitCode = await tell();
}

async function tell(): Promise<number> {
  const data = temporaryFolder();
  const world = new ResumeWorld(data);
  onInterrupt(async () => {
    await world.end();
    removeFolder(data);
  });
  try {
    const held = await tellAll(RESUME_STEPS, world, (line) => process.stdout.write(`${line}\n`));
    return held ? 0 : 1;
  } finally {
    await world.end();
    removeFolder(data);
  }
}
