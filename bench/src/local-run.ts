import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cores, pinCores } from './cores.ts';
import { corrections } from './correction.ts';
import { subscribeModern } from './eras.ts';
import { startBareCommit, startRawLoop } from './floor.ts';
import { isInMemory } from './machine.ts';
import type { Samples } from './raw-loop.ts';
import { BARE_COMMIT, FSYNC, RAW_LOOP } from './report.ts';
import type { Measured } from './rounds.ts';
import { startUnsay } from './unsay-server.ts';

/** A server to measure, and the floor beside it. */
export interface LocalRun {
  readonly access: { readonly url: URL; readonly token: string; readonly secret: string };
  readonly floor: readonly Measured[];
  /** For the report: what runs where. */
  readonly server: string;
  readonly warnings: readonly string[];
}

/**
 * Starts Unsay and the floor, each in a process of its own, with their stores side by side on one disk. What
 * ends them again is added to `closers`.
 */
export async function startLocally(closers: (() => unknown)[]): Promise<LocalRun> {
  const cores = pinCores();
  const folder = mkdtempSync(join(tmpdir(), 'unsay-bench-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const secret = randomBytes(32).toString('hex');

  const store = join(folder, 'floor');
  const samples = await sampleOnePublication(cores, store, secret);
  const commit = await startBareCommit(cores, join(store, 'unsay.db'));
  closers.push(commit.close);
  const loop = await startRawLoop(cores, samples);
  closers.push(loop.close);
  const raw = await subscribeModern({ url: loop.url, uri: 'care://ray/bench_raw', token: 'none', secret });
  closers.push(raw.close);

  const { once: loopOnce } = corrections(RAW_LOOP, raw);

  const unsay = await startUnsay(cores, join(folder, 'unsay'), secret);
  closers.push(unsay.stop);
  return {
    access: { url: unsay.url, token: unsay.token, secret },
    floor: [
      // In turns: a commit right after another finds disk and processor more awake than any server's does.
      {
        names: [RAW_LOOP, BARE_COMMIT],
        once: async () => [...(await loopOnce()), await commit.run('commit')],
      },
      { names: [FSYNC], once: async () => [await commit.run('fsync')] },
    ],
    server: `started for this run; ${cores.said}`,
    warnings: isInMemory(folder)
      ? [
          `${folder} is kept in memory, so durable commits cost nothing here; set TMPDIR to a folder on a disk`,
        ]
      : [],
  };
}

/** Has Unsay create and correct one fact in a store of its own, and keeps what it answered and what it stored. */
async function sampleOnePublication(cores: Cores, store: string, secret: string): Promise<Samples> {
  const { url, token, stop } = await startUnsay(cores, store, secret);
  try {
    const subscriber = await subscribeModern({ url, uri: 'care://ray/bench_floor', token, secret });
    await corrections('sample', subscriber).once();
    const read = JSON.parse((await subscriber.read()).text);
    subscriber.close();
    return { written: JSON.parse(subscriber.created.text), read };
  } finally {
    await stop();
  }
}
