import { closeSync, fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { median } from '../statistics.ts';

const TIMES = 100;

/** What the disk under a folder takes to make 4 KiB durable, in milliseconds: the median of some. */
export function fsyncMs(folder: string): number {
  const descriptor = openSync(join(folder, 'fsync'), 'w', 0o600);
  const page = Buffer.alloc(4096, 1);
  writeSync(descriptor, page, 0, page.length, 0);
  fsyncSync(descriptor);
  const samples = Array.from({ length: TIMES }, () => {
    const begun = performance.now();
    writeSync(descriptor, page, 0, page.length, 0);
    fdatasyncSync(descriptor);
    return performance.now() - begun;
  });
  closeSync(descriptor);
  return median(samples);
}
