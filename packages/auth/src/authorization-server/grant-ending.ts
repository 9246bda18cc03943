import { type Clock, epochSeconds } from '../clock.ts';
import { revocationKey } from '../resource-server/revocation-keys.ts';
import type { RevocationRegistry } from '../resource-server/revocation-registry.ts';
import { ACCESS_TOKEN_SECONDS } from './lifetimes.ts';
import type { OAuthRecordStore } from './record-store.ts';
import type { Reach } from './unavailable.ts';

/** Which refresh token took a turn of its grant. */
export const TURN = 'RefreshTurn';

/** Kinds of records that cannot outlive the grant that they come from. */
const KINDS_OF_A_GRANT = ['RefreshToken', 'AuthorizationCode', 'Consent', TURN];

/** An answer on its way while the grant ends may still carry a token that was made a moment later. */
const SLACK_SECONDS = 300;

export interface GrantEndingOptions {
  readonly records: OAuthRecordStore;
  readonly revocations: RevocationRegistry;
  readonly clock: Clock;
  readonly reach: Reach;
}

/** Ends a grant: its access tokens first, durably, then its refresh tokens and codes, then the grant. */
export type EndGrant = (grantId: string) => Promise<void>;

export function createGrantEnding({ records, revocations, clock, reach }: GrantEndingOptions): EndGrant {
  return (grantId) =>
    reach(async () => {
      const expiresAt = epochSeconds(clock) + ACCESS_TOKEN_SECONDS + SLACK_SECONDS;
      await revocations.revokeKey(revocationKey.grant(grantId), expiresAt);
      await Promise.all(KINDS_OF_A_GRANT.map((kind) => records.removeByGrant(kind, grantId)));
      await records.remove('Grant', grantId);
    });
}
