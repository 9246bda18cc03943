import { parseArgs } from 'node:util';
import { OWN_ENGINES } from './engine.ts';
import { latencyTable, measureLatency } from './latency.ts';

// Compares how long forbidden and absent reads take: `node timing.ts --n 5000`. It decides nothing.
const { values } = parseArgs({ options: { n: { type: 'string', default: '2000' } } });

for (const { name, open } of OWN_ENGINES) {
  for (const era of ['modern', 'legacy'] as const) {
    const title = `${name}, ${era}, microseconds`;
    process.stdout.write(`${latencyTable(title, await measureLatency(open, era, Number(values.n)))}\n`);
  }
}
