import type { Accounts, Pairing, PairingGrant } from '@unsay/auth/authorization-server';
import { SCOPES } from './domain/care-partition.ts';
import { DEMONSTRATION_SUBJECT } from './domain/demonstration-plan.ts';
import type { Listeners } from './sign-in/listeners.ts';
import { CONSOLE_CLIENT, LANDING_CLIENT, OWNER } from './sign-in/own-clients.ts';

/** What each page may do once it is paired. */
const GRANTS = {
  landing: { path: '/', scopes: [SCOPES.readUser] },
  device: { path: '/device', scopes: [SCOPES.readUser, SCOPES.speak] },
  console: { path: '/console', scopes: [SCOPES.readUser, SCOPES.readAssistant, SCOPES.write, SCOPES.audit] },
} as const;

/** A page that can be paired. */
export type Page = keyof typeof GRANTS;

const HOUR_SECONDS = 3600;

export interface PairingParts {
  readonly pairing: Pairing;
  readonly accounts: Accounts;
  readonly listeners: Listeners;
  readonly publicUrl: string;
}

/** An address of a page with a fresh one-time code in its fragment, or null when there is no such page. */
export async function offerPage(
  { pairing, accounts, listeners, publicUrl }: PairingParts,
  page: Page,
): Promise<string | null> {
  if (!Object.hasOwn(GRANTS, page)) return null;
  const { path, scopes } = GRANTS[page];
  const identity = identityOf(page, listeners);
  const offered = pairing.offer({
    page,
    ...identity,
    // As it is now: what is taken from the person before the code is used is not in its token either.
    accountEpoch: (await accounts.find(identity.sub))?.epoch,
    scopes,
    subjects: [DEMONSTRATION_SUBJECT],
    ttlSeconds: HOUR_SECONDS,
  });
  if (offered.kind === 'refused') throw new Error(`a page cannot be paired: ${offered.fault}`);
  return `${publicUrl}${path}#${offered.code}`;
}

// Each device is one of its own, so that one can be ended and the others go on.
function identityOf(page: Page, listeners: Listeners): Pick<PairingGrant, 'sub' | 'clientId'> {
  if (page === 'console') return { sub: OWNER, clientId: CONSOLE_CLIENT };
  if (page === 'landing') return { sub: 'landing-page', clientId: LANDING_CLIENT };
  const { sub, clientId } = listeners.identity();
  return { sub, clientId };
}
