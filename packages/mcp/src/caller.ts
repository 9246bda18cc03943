/**
 * Who sent one HTTP request, as the application authenticated it. A caller lives as long as the streams that
 * its request opened.
 */
export interface Caller<P> {
  readonly principal: P;
  /** The subject of the token. With `clientId` it owns sessions and counts against limits. */
  readonly sub: string;
  readonly clientId: string;
  /** False once the token expired or was revoked. Asked before everything that is sent later than the answer. */
  isLive(): boolean;
}

/** A key for the pair (sub, clientId). Quoting keeps two pairs apart whatever characters they hold. */
export function ownerOf(caller: Pick<Caller<unknown>, 'sub' | 'clientId'>): string {
  return JSON.stringify([caller.sub, caller.clientId]);
}
