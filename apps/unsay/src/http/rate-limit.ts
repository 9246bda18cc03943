import type { IncomingMessage } from 'node:http';
import type { HttpContext } from './context.ts';
import type { ProblemCode, ProblemExtra } from './problem.ts';

/** A refusal, as it is answered. */
export interface Refused {
  readonly code: ProblemCode;
  readonly extra: ProblemExtra;
}

/** The refusal of one request too many; null when there was room. */
export function limited(waitSeconds: number | null): Refused | null {
  if (waitSeconds === null) return null;
  return { code: 'rate_limited', extra: { headers: { 'retry-after': String(waitSeconds) } } };
}

/**
 * What is said of a credential that was not accepted: the refusal, or past the limit of its address that there were too
 * many. Whoever brought none tries nothing, and is told what to bring as ever.
 */
export async function refusedCredential(
  context: HttpContext,
  req: IncomingMessage,
  refusal: Refused,
): Promise<Refused> {
  if (refusal.code === 'unsigned') return refusal;
  return limited(await context.limits.failedAuthentication(req.socket.remoteAddress)) ?? refusal;
}
