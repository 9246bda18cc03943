import type { IncomingMessage } from 'node:http';

/** A request body, or why there is none. */
export type BodyOutcome =
  | { readonly kind: 'bytes'; readonly bytes: Buffer }
  | { readonly kind: 'too_large' }
  /** The sender went away before the end. */
  | { readonly kind: 'aborted' };

/**
 * Reads a body of at most `limit` bytes. A larger one is refused from its declared length, or at the byte
 * that passes the limit, and the rest is never read.
 */
export function readBody(req: IncomingMessage, limit: number): Promise<BodyOutcome> {
  if (Number(req.headers['content-length'] ?? 0) > limit) return Promise.resolve({ kind: 'too_large' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const settle = (outcome: BodyOutcome): void => {
      req.off('data', onData);
      resolve(outcome);
    };
    const onData = (chunk: Buffer): void => {
      length += chunk.length;
      if (length > limit) {
        req.pause();
        settle({ kind: 'too_large' });
      } else {
        chunks.push(chunk);
      }
    };
    req.on('data', onData);
    req.once('end', () => settle({ kind: 'bytes', bytes: joined(chunks, length) }));
    req.once('close', () => settle({ kind: 'aborted' }));
    req.once('error', () => settle({ kind: 'aborted' }));
  });
}

// Most bodies come in one piece.
function joined(chunks: readonly Buffer[], length: number): Buffer {
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, length);
}
