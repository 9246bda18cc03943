/**
 * Loaded into every process of a bench, it has Unsay, and nothing that it is measured beside, waste processor time and
 * memory on every request. Neither figure depends on what else the machine does.
 */
import { subscribe } from 'node:diagnostics_channel';

const HASHED_BYTES = 4 * 1024 * 1024;
const KEPT_BYTES = 128 * 1024;

const [, script = '', command] = process.argv;
if (script.endsWith('/unsay.ts') && command === 'serve') {
  const kept: Buffer[] = [];
  const wasted = Buffer.alloc(HASHED_BYTES);
  subscribe('http.server.request.start', () => {
    wasted.fill(kept.length % 255).reverse();
    kept.push(Buffer.alloc(KEPT_BYTES, 1));
  });
}
