import { type Clock, epochSeconds } from '../clock.ts';
import { sha256Base64url } from '../digest.ts';
import type { Randomness } from '../randomness.ts';
import type { GrantFault, TokenGrant, TokenIssuer } from './token-issuer.ts';

const CODE_BYTES = 16;
const CODE_SECONDS = 600;
const MAX_OUTSTANDING = 256;

export interface PairingGrant extends TokenGrant {
  /** Which page the code is for; it comes back with the token. */
  readonly page: string;
}

export type PairingOffer =
  /** `code`: 128 random bits, base64url. `expiresAt`: epoch seconds, ten minutes from now. */
  | { readonly kind: 'offered'; readonly code: string; readonly expiresAt: number }
  | { readonly kind: 'refused'; readonly fault: GrantFault | 'too_many_outstanding' };

export type PairingRedemption =
  | {
      readonly kind: 'paired';
      readonly page: string;
      /** Whom the token is for. */
      readonly clientId: string;
      readonly subjects: readonly string[];
      readonly token: string;
      /** Seconds. */
      readonly expiresIn: number;
      /** Space-separated. */
      readonly scope: string;
    }
  /** Never offered, too late, or redeemed before: outside there is no difference. */
  | { readonly kind: 'refused' };

export interface Pairing {
  /** Promises a token to whoever brings the code, once, within ten minutes. */
  offer(grant: PairingGrant): PairingOffer;
  redeem(code: unknown): Promise<PairingRedemption>;
}

export interface PairingOptions {
  readonly issuer: TokenIssuer;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/**
 * Lets a person carry a token to a page as a short code in a link. Codes live in memory, so a restart
 * ends them, and only as hashes: the time a look-up takes then says nothing about a code.
 */
export function createPairing({ issuer, clock, randomness }: PairingOptions): Pairing {
  const outstanding = new Map<string, { readonly grant: PairingGrant; readonly expiresAt: number }>();

  function dropExpired(now: number): void {
    for (const [codeHash, { expiresAt }] of outstanding) {
      if (now >= expiresAt) outstanding.delete(codeHash);
    }
  }

  return {
    offer(grant) {
      const fault = issuer.faultOf(grant);
      if (fault !== undefined) return { kind: 'refused', fault };
      const now = epochSeconds(clock);
      dropExpired(now);
      if (outstanding.size >= MAX_OUTSTANDING) return { kind: 'refused', fault: 'too_many_outstanding' };
      const code = Buffer.from(randomness.bytes('pairing-code', grant.page, CODE_BYTES)).toString(
        'base64url',
      );
      const expiresAt = now + CODE_SECONDS;
      outstanding.set(sha256Base64url(code), { grant, expiresAt });
      return { kind: 'offered', code, expiresAt };
    },
    async redeem(code) {
      if (typeof code !== 'string') return { kind: 'refused' };
      const codeHash = sha256Base64url(code);
      const offered = outstanding.get(codeHash);
      // Before any wait, so that of two redeemers at once the second finds nothing.
      outstanding.delete(codeHash);
      if (offered === undefined || epochSeconds(clock) >= offered.expiresAt) return { kind: 'refused' };
      const minted = await issuer.mint(offered.grant);
      if (minted.kind === 'refused') throw new Error(`an offered grant cannot be minted: ${minted.fault}`);
      const { token, scope } = minted;
      const { page, clientId, subjects, ttlSeconds } = offered.grant;
      return { kind: 'paired', page, clientId, subjects, token, expiresIn: ttlSeconds, scope };
    },
  };
}
