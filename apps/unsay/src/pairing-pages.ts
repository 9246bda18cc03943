import type { Pairing } from '@unsay/auth/authorization-server';
import { SCOPES } from './domain/care-partition.ts';
import { DEMONSTRATION_SUBJECT } from './domain/demonstration-plan.ts';

/** What each page may do once it is paired. */
const GRANTS = {
  landing: { path: '/', scopes: [SCOPES.readUser] },
  device: { path: '/device', scopes: [SCOPES.readUser, SCOPES.speak] },
  console: { path: '/console', scopes: [SCOPES.readUser, SCOPES.readAssistant, SCOPES.write, SCOPES.audit] },
} as const;

/** A page that can be paired. */
export type Page = keyof typeof GRANTS;

const HOUR_SECONDS = 3600;

/** An address of a page with a fresh one-time code in its fragment, or null when there is no such page. */
export function offerPage(pairing: Pairing, publicUrl: string, page: Page): string | null {
  if (!Object.hasOwn(GRANTS, page)) return null;
  const { path, scopes } = GRANTS[page];
  const offered = pairing.offer({
    page,
    sub: `${page}-page`,
    clientId: `unsay-${page}`,
    scopes,
    subjects: [DEMONSTRATION_SUBJECT],
    ttlSeconds: HOUR_SECONDS,
  });
  if (offered.kind === 'refused') throw new Error(`a page cannot be paired: ${offered.fault}`);
  return `${publicUrl}${path}#${offered.code}`;
}
