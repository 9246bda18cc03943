/**
 * Loaded into every process of a bench, it makes Unsay, and nothing that it is measured beside, slow to start, slow to
 * answer and wasteful of memory.
 */
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';

const START_MS = 400;
const REQUEST_MS = 4;
/** Of what comes once in a round and not many times: a write, and a stream that is resumed. */
const RARE_REQUEST_MS = 40;
const BYTES_OF_A_REQUEST = 128 * 1024;

const [, script = '', command] = process.argv;
if (script.endsWith('/unsay.ts') && command === 'serve') {
  const kept: Buffer[] = [];
  busyFor(START_MS);
  subscribe('http.server.request.start', (message) => {
    const { request } = message as { readonly request: IncomingMessage };
    busyFor(request.method === 'GET' || request.url === '/write' ? RARE_REQUEST_MS : REQUEST_MS);
    kept.push(Buffer.alloc(BYTES_OF_A_REQUEST, kept.length));
  });
}

function busyFor(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}
