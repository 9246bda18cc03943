/** `npm run probe`: what clients really do. `--help` says more. */
import { randomBytes } from 'node:crypto';
import type { Phase } from './arrival.ts';
import { type Asked, readOptions, USAGE } from './options.ts';
import { startProbe } from './probe-server.ts';
import { reportOn } from './report.ts';
import { textOf } from './report-text.ts';
import { openProbeStore, readProbeStore, type StoredArrival } from './store.ts';
import { transcriptsOf } from './transcript.ts';

// The only file of the probe that reads the machine's clock and its randomness.

const CHANGE_EVERY_MS = 1_000;

process.exitCode = await main(readOptions(process.argv.slice(2)));

async function main(asked: Asked): Promise<number> {
  switch (asked.kind) {
    case 'help':
      process.stdout.write(USAGE);
      return 0;
    case 'wrong':
      process.stderr.write(`${asked.message}\n\n${USAGE}`);
      return 2;
    case 'report':
      return tell(asked.data, (arrivals) => {
        const reports = reportOn(arrivals);
        return asked.json ? `${JSON.stringify(reports)}\n` : textOf(reports);
      });
    case 'transcripts':
      return tell(asked.data, (arrivals) => `${JSON.stringify(transcriptsOf(arrivals))}\n`);
    case 'serve':
      // Not by running out of work, which lets go of the signal handlers first: a second Ctrl-C would kill it then.
      process.exit(await serve(asked.phase, asked.port, asked.data));
  }
}

function tell(data: string, textFor: (arrivals: readonly StoredArrival[]) => string): number {
  let arrivals: readonly StoredArrival[];
  try {
    arrivals = readProbeStore(data);
  } catch {
    process.stderr.write(`There are no records in ${data}: start a probe on it with npm run probe.\n`);
    return 1;
  }
  process.stdout.write(textFor(arrivals));
  return 0;
}

async function serve(phase: Phase, port: number, data: string): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve());
  });
  const store = openStore(data);
  if (store === null) return 1;
  try {
    const probe = await startProbe({
      phase,
      port,
      store,
      day: new Date(Date.now()).toISOString().slice(0, 10),
      randomness: { bytes: (_purpose, _record, length) => new Uint8Array(randomBytes(length)) },
      monotonicNow: () => performance.now(),
      onFault: (error) => process.stderr.write(`${error instanceof Error ? error.message : 'a fault'}\n`),
    });
    const changing = setInterval(() => probe.change(), CHANGE_EVERY_MS);
    process.stdout.write(
      `Probe, phase ${phase}, at ${probe.url}/mcp; records in ${data}. Ctrl-C stops it.\n`,
    );
    await stopped;
    clearInterval(changing);
    await probe.close();
    return 0;
  } catch (error) {
    process.stderr.write(`${sentenceFor(error, port)}\n`);
    return 1;
  } finally {
    store.close();
  }
}

function openStore(data: string): ReturnType<typeof openProbeStore> | null {
  try {
    return openProbeStore(data);
  } catch {
    process.stderr.write(`${data} cannot be used for records. Choose another folder with --data.\n`);
    return null;
  }
}

function sentenceFor(error: unknown, port: number): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'EADDRINUSE') return `Port ${port} is in use. Choose another with --port.`;
  if (code === 'EACCES') return `Port ${port} may not be opened. Choose one above 1023 with --port.`;
  return error instanceof Error ? error.message : String(error);
}
