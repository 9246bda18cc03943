import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, epochSeconds } from '../clock.ts';
import type { Randomness } from '../randomness.ts';

const KEY_BYTES = 32;
const RANDOM_BYTES = 16;
const TIME_BYTES = 6;
const MAC_BYTES = 32;
const NONCE_BYTES = RANDOM_BYTES + TIME_BYTES + MAC_BYTES;

/** How many nonces one account may use up in the life of one; then it has to wait. */
const MAX_SPENT_PER_ACCOUNT = 64;

export interface NoncesOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** How long a nonce is good for. */
  readonly lifeSeconds: number;
}

/** Nonces that tell by themselves what they were issued for and until when. They end with the process. */
export interface Nonces {
  /** A nonce for one thing: 54 bytes, base64url, 72 characters. */
  issue(about: readonly string[]): string;
  /** Whether the nonce was issued here, for that, and is neither late nor used up. */
  isGood(nonce: unknown, about: readonly string[]): boolean;
  /** A second secret of the nonce, 256 bits, base64url, that the nonce does not tell. */
  secretOf(nonce: string, purpose: string): string;
  /** Uses up a good nonce on behalf of an account. False for one that is not good, or when the account must wait. */
  spend(nonce: string, about: readonly string[], accountId: string): boolean;
}

/**
 * Anyone may begin to sign in, any number of times, before it is known who it is. So what was begun is not remembered:
 * a nonce carries its end and a code over all that it is about (HMAC-SHA256). There is then no table for strangers to
 * fill, and nobody's beginning can push out another's. Remembered is only what was used up, which takes an account.
 */
export function createNonces({ clock, randomness, lifeSeconds }: NoncesOptions): Nonces {
  const key = randomness.bytes('nonce-key', '', KEY_BYTES);
  const spent = new Map<string, { readonly accountId: string; readonly expiresAt: number }>();

  function codeOf(parts: readonly unknown[]): Buffer {
    return createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  }

  function forgetLate(): void {
    const now = epochSeconds(clock);
    for (const [nonce, { expiresAt }] of spent) if (now >= expiresAt) spent.delete(nonce);
  }

  function countOf(accountId: string): number {
    return [...spent.values()].filter((by) => by.accountId === accountId).length;
  }

  function isGood(nonce: unknown, about: readonly string[]): nonce is string {
    const bytes = bytesOf(nonce);
    if (bytes === undefined) return false;
    const head = bytes.subarray(0, NONCE_BYTES - MAC_BYTES);
    const code = codeOf(['nonce', head.toString('base64url'), about]);
    if (!timingSafeEqual(bytes.subarray(NONCE_BYTES - MAC_BYTES), code)) return false;
    return epochSeconds(clock) < endOf(bytes) && !spent.has(bytes.toString('base64url'));
  }

  return {
    issue(about) {
      const head = Buffer.alloc(RANDOM_BYTES + TIME_BYTES);
      head.set(randomness.bytes('nonce', '', RANDOM_BYTES));
      head.writeUIntBE(epochSeconds(clock) + lifeSeconds, RANDOM_BYTES, TIME_BYTES);
      const code = codeOf(['nonce', head.toString('base64url'), about]);
      return Buffer.concat([head, code]).toString('base64url');
    },
    isGood,
    secretOf: (nonce, purpose) => codeOf(['secret', nonce, purpose]).toString('base64url'),
    spend(nonce, about, accountId) {
      if (!isGood(nonce, about)) return false;
      forgetLate();
      if (countOf(accountId) >= MAX_SPENT_PER_ACCOUNT) return false;
      spent.set(nonce, { accountId, expiresAt: endOf(Buffer.from(nonce, 'base64url')) });
      return true;
    },
  };
}

/** The bytes of a nonce, of its one spelling only: another would not be found among those used up. */
function bytesOf(nonce: unknown): Buffer | undefined {
  if (typeof nonce !== 'string' || nonce.length !== (NONCE_BYTES / 3) * 4) return undefined;
  const bytes = Buffer.from(nonce, 'base64url');
  return bytes.length === NONCE_BYTES && bytes.toString('base64url') === nonce ? bytes : undefined;
}

/** Epoch seconds. */
function endOf(bytes: Buffer): number {
  return bytes.readUIntBE(RANDOM_BYTES, TIME_BYTES);
}
