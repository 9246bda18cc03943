import { createHash, createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Clock, instant, type Nonce, type Principal } from '@unsay/live-resources';
import type { ProblemCode } from './problem.ts';

/** How a writer was authenticated: every word that `POST /write` has for it in the audit. */
export type WriterVia = 'none' | 'hmac' | 'bearer';

/** Who wrote, or why the credential was refused. */
export type WriterOutcome =
  | {
      readonly kind: 'writer';
      readonly via: WriterVia;
      readonly principal: Principal;
      readonly nonce: Nonce | null;
    }
  | {
      readonly kind: 'refused';
      readonly via: WriterVia;
      readonly code: ProblemCode;
      readonly detail?: string;
    };

/** The most that a signed timestamp may differ from the server's clock, in seconds. */
export const SKEW_SECONDS = 300;

/**
 * Verifies `x-unsay-signature: v1=<hex of HMAC-SHA256(secret, timestamp.if-match.body)>` over the bytes as
 * they were received. The caller has made sure that each header is there once.
 */
export function verifySystemSignature(
  req: IncomingMessage,
  body: Buffer,
  secret: KeyObject,
  clock: Clock,
  system: Principal,
): WriterOutcome {
  const via = 'hmac';
  const timestamp = single(req, 'x-unsay-timestamp');
  const signature = /^v1=([0-9a-fA-F]{64})$/.exec(single(req, 'x-unsay-signature') ?? '')?.[1];
  if (timestamp === null)
    return { kind: 'refused', via, code: 'unsigned', detail: 'x-unsay-timestamp is missing.' };
  if (signature === undefined || !/^\d{1,12}$/.test(timestamp)) {
    return {
      kind: 'refused',
      via,
      code: 'malformed',
      detail: 'x-unsay-timestamp is unix seconds, x-unsay-signature is v1= and 64 hex digits, exactly once.',
    };
  }
  const given = Buffer.from(signature, 'hex');
  const expected = createHmac('sha256', secret)
    .update(`${timestamp}.${single(req, 'if-match') ?? ''}.`)
    .update(body)
    .digest();
  if (!timingSafeEqual(given, expected)) return { kind: 'refused', via, code: 'bad_signature' };
  const signedAt = Number(timestamp) * 1000;
  if (Math.abs(clock.now() - signedAt) > SKEW_SECONDS * 1000)
    return { kind: 'refused', via, code: 'stale_timestamp' };
  const id = createHash('sha256').update('hmac').update(given).digest('hex');
  return {
    kind: 'writer',
    via,
    principal: system,
    nonce: { id, expiresAt: instant(signedAt + SKEW_SECONDS * 1000) },
  };
}

/** The value of a header that must not be repeated; null when it is absent. */
export function single(req: IncomingMessage, name: string): string | null {
  return req.headersDistinct[name]?.[0] ?? null;
}

/** Whether any of these headers was sent more than once: two readers could each take another one. */
export function repeatsHeader(req: IncomingMessage, names: readonly string[]): boolean {
  return names.some((name) => (req.headersDistinct[name]?.length ?? 0) > 1);
}
