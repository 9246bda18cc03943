import type { Duplex } from 'node:stream';
import { problemBody } from './problem.ts';

const DETAILS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The target and the headers are longer than 16 KiB together.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request did not come to its end in time.',
};

/**
 * Answers what is no HTTP request, and so has none of the routes, in the same words as any other refusal; then
 * the connection ends.
 */
export function refuseUnparsable(
  error: NodeJS.ErrnoException,
  socket: Duplex & { bytesWritten?: number },
): void {
  // After a first answer, another one may be under way, and words in its middle would be taken for a part of it.
  if (!socket.writable || error.code === 'ECONNRESET' || socket.bytesWritten !== 0) {
    socket.destroy();
    return;
  }
  const detail = DETAILS[error.code ?? ''] ?? 'It is not an HTTP request.';
  const next = 'Send one request of HTTP/1.1, with its headers below 16 KiB.';
  const body = Buffer.from(JSON.stringify(problemBody('malformed', { detail, next })));
  const head = [
    'HTTP/1.1 400 Bad Request',
    'content-type: application/problem+json',
    'cache-control: no-store',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body]));
}
