import { rmSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StorageError } from '@unsay/storage';
import { readBody } from '../http/body.ts';
import type { OpenFolder } from '../open-folder.ts';
import { type OperationResult, refusal } from '../operations/operation.ts';
import type { LineStream } from '../operations/stream.ts';
import { SOCKET_NAME, withSocketPath } from './socket-path.ts';

// The largest blob that settings allow, in base64, and the rest of its write.
const LONGEST_BODY = 24 * 1024 * 1024;

/**
 * Serves the operations on the folder's socket, which only the folder's owner can open (mode 0600). The
 * process owns the folder, so a socket that a dead one left behind is in the way and is removed.
 */
export async function serveControl(
  path: string,
  folder: OpenFolder,
  onFault: (error: unknown) => void,
): Promise<Server> {
  const server = createServer((req, res) => {
    void (async () => {
      const body = await readBody(req, LONGEST_BODY);
      const stream = await streamOf(req.url ?? '');
      if (stream !== null) return await sendLines(folder, stream, res);
      const result = body.kind === 'bytes' ? await run(folder, req.url ?? '', body.bytes, onFault) : null;
      res.writeHead(result === null ? 400 : 200, { 'content-type': 'application/json' });
      res.end(JSON.stringify(result));
    })().catch(onFault);
  });
  rmSync(join(path, SOCKET_NAME), { force: true });
  // The socket takes its mode when it is bound, which listen() does before it returns.
  const before = process.umask(0o177);
  try {
    withSocketPath(path, (socket) => server.listen(socket));
  } finally {
    process.umask(before);
  }
  await new Promise<void>((resolve, reject) => {
    server.once('listening', resolve);
    server.once('error', reject);
  });
  return server;
}

// What the command line asks for is loaded when it asks: a server starts without.
async function streamOf(url: string): Promise<LineStream | null> {
  const { STREAMS } = await import('../operations/stream.ts');
  const name = url.slice(1);
  return Object.hasOwn(STREAMS, name) ? (STREAMS[name] ?? null) : null;
}

/** Sends lines no faster than they are read, until there are no more or nobody reads. */
async function sendLines(folder: OpenFolder, stream: LineStream, res: ServerResponse): Promise<void> {
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  res.writeHead(200, { 'content-type': 'application/jsonl' });
  res.flushHeaders();
  try {
    await pipeline(Readable.from(stream(folder, gone.signal)), res);
  } catch (error) {
    // Whoever stopped reading has nothing to be told.
    if (!gone.signal.aborted) throw error;
  }
}

async function run(
  folder: OpenFolder,
  url: string,
  body: Buffer,
  onFault: (error: unknown) => void,
): Promise<OperationResult | null> {
  const { OPERATIONS } = await import('../operations/index.ts');
  const name = url.slice(1);
  const operation = Object.hasOwn(OPERATIONS, name) ? OPERATIONS[name] : undefined;
  if (operation === undefined) return null;
  try {
    return await operation(folder, JSON.parse(body.toString('utf8')) as Record<string, unknown>);
  } catch (error) {
    onFault(error);
    // Whoever can open the socket owns the folder: what the store says of itself is for them.
    const words = error instanceof StorageError ? error.message : 'The server failed at this.';
    return refusal(words, 'See what the server printed.');
  }
}
