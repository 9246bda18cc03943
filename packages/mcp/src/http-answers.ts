import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ErrorCode, type RpcError } from './methods/outcome.ts';

/** The `id` of a JSON-RPC request, or null where none could be read. */
export type RequestId = string | number | null;

/** A request that the transport turns away, as an HTTP status with a JSON-RPC error in the body. */
export interface Refusal {
  readonly status: number;
  readonly error: RpcError;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Headers of every event stream. A proxy that buffers would hold a correction back. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
} as const;

/** How often a stream of a call says that it is there. A proxy that hears nothing for a minute may hang up. */
export const KEEP_ALIVE_MS = 15_000;

/** Sends a body that is JSON already. */
export function sendJson(
  res: ServerResponse,
  status: number,
  body: string,
  headers?: Refusal['headers'],
): void {
  res.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...headers,
  });
  res.end(body);
}

export function sendRefusal(res: ServerResponse, id: RequestId, { status, error, headers }: Refusal): void {
  sendJson(res, status, JSON.stringify({ jsonrpc: '2.0', id, error }), headers);
}

/** Sends the error of a method. It travels inside a successful exchange: statuses are for the transport's own. */
export function sendError(res: ServerResponse, id: RequestId, error: RpcError): void {
  sendRefusal(res, id, { status: 200, error });
}

/** Sends what the SDK answered. */
export async function sendResponse(
  res: ServerResponse,
  response: Response,
  headers?: Refusal['headers'],
): Promise<void> {
  const body = Buffer.from(await response.arrayBuffer());
  const given = Object.fromEntries(response.headers);
  res.writeHead(response.status, { ...given, ...headers, 'content-length': body.byteLength });
  res.end(body);
}

/** Passes on a stream that the SDK writes, no faster than the client reads it. Resolves when it is over. */
export async function sendStream(
  res: ServerResponse,
  response: Response,
  headers?: Refusal['headers'],
): Promise<void> {
  if (response.body === null) throw new Error('a stream has no body');
  res.writeHead(response.status, { ...EVENT_STREAM_HEADERS, ...headers });
  res.flushHeaders();
  try {
    await pipeline(Readable.fromWeb(response.body), res);
  } catch (error) {
    // A client that leaves has ended nothing but its own stream, and `pipeline` has told the SDK.
    if (!(error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE'))
      throw error;
  }
}

/** Refuses a stream in words that depend on nothing but the caller's own open streams. */
export function streamsRefused(reason: 'full' | 'closed'): Refusal {
  const [status, message] =
    reason === 'full'
      ? ([429, 'Too many open streams: close one of yours before you open another'] as const)
      : ([503, 'The server is shutting down: connect again in a moment'] as const);
  return { status, error: { code: ErrorCode.serverError, message }, headers: { 'retry-after': '1' } };
}

/** The id that an error about this message should carry: its own, if it is a single request that has one. */
export function idOf(message: unknown): RequestId {
  if (typeof message !== 'object' || message === null || !('id' in message) || !('method' in message)) {
    return null;
  }
  const { id } = message;
  // Beyond this JSON's numbers are rounded when they are read.
  const isExact = typeof id === 'number' && Math.abs(id) <= Number.MAX_SAFE_INTEGER;
  return typeof id === 'string' || isExact ? id : null;
}
