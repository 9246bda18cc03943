import type { Principal } from '@unsay/live-resources';
import { ownerOf } from '@unsay/mcp';
import { addressGroup } from './address-group.ts';
import { createSlidingWindow } from './sliding-window.ts';

/** What may be limited, for whoever counts. */
export type LimitKind = 'requests' | 'writes' | 'failed_authentication';

/** The whole seconds to wait, or null when there is room. */
export type Wait = Promise<number | null>;

/**
 * What one caller may ask of the server in a time. Each gives the whole seconds to wait, or null when there is room. The
 * limit of a principal is its own: what others do neither shortens nor shows in it.
 */
export interface Limits {
  /** One more request of a principal that was verified, before anything is looked up for it. */
  request(principal: Pick<Principal, 'sub' | 'clientId'>): Wait;
  /** One more attempt to write. Refused ones count, so that a flood of them is one. */
  write(principal: Pick<Principal, 'sub' | 'clientId'>): Wait;
  /**
   * Whether a signature with this id was taken from its writer before. Whoever caught it can send it again, and must not
   * use up by that what the writer may do.
   */
  isCopy(signatureId: string): boolean;
  /** A signature was taken, and counted. */
  taken(signatureId: string): void;
  /**
   * One more credential from this address that was not accepted. Only who fails is ever limited here, so that one host
   * behind a shared address learns nothing of another whose credentials are good. It can learn that others fail too.
   */
  failedAuthentication(address: string | undefined): Wait;
}

/** At most so many of a key in any time of one length: see `SlidingWindow`. */
export interface LimitWindow {
  /** Takes one in: 0, or the milliseconds until one more may come, when it was not taken in. */
  take(key: string): number | Promise<number>;
}

/** Makes a limit that others count with. */
export type WindowOf = (limit: {
  readonly kind: LimitKind;
  readonly limit: number;
  readonly windowMs: number;
}) => LimitWindow;

/** What is forgotten of the oldest counts once more as a fresh one; a signature is good for minutes only. */
const SIGNATURES_KEPT = 10_000;

export interface LimitsOptions {
  readonly requestsPerSecond: number;
  readonly writesPerMinute: number;
  readonly failedAuthPerMinute: number;
  readonly monotonicNow: () => number;
  /** Counts that several servers share; without it, this one counts alone. */
  readonly windowOf?: WindowOf | undefined;
  /** Told of each refusal. */
  readonly limited: (kind: LimitKind) => void;
}

/** The limits of one server. Times of an injected clock, so that nothing of them is chance. */
export function createLimits(options: LimitsOptions): Limits {
  const { monotonicNow, limited } = options;
  const { windowOf = (limit) => createSlidingWindow({ ...limit, monotonicNow }) } = options;
  const requests = windowOf({ kind: 'requests', limit: options.requestsPerSecond, windowMs: 1000 });
  const writes = windowOf({ kind: 'writes', limit: options.writesPerMinute, windowMs: 60_000 });
  const failures = windowOf({
    kind: 'failed_authentication',
    limit: options.failedAuthPerMinute,
    windowMs: 60_000,
  });
  const signatures = new Set<string>();

  async function take(window: LimitWindow, key: string, kind: LimitKind): Wait {
    const waitMs = await window.take(key);
    if (waitMs === 0) return null;
    limited(kind);
    return Math.ceil(waitMs / 1000);
  }

  return {
    request: (principal) => take(requests, ownerOf(principal), 'requests'),
    write: (principal) => take(writes, ownerOf(principal), 'writes'),
    isCopy: (id) => signatures.has(id),
    taken(id) {
      signatures.add(id);
      if (signatures.size <= SIGNATURES_KEPT) return;
      for (const oldest of signatures) {
        signatures.delete(oldest);
        break;
      }
    },
    failedAuthentication: (address) => take(failures, addressGroup(address), 'failed_authentication'),
  };
}
