import type { Configuration } from 'openid-client';
import type { Clock } from '../clock.ts';
import { accountIdOf } from '../outside-identity.ts';
import type { Randomness } from '../randomness.ts';
import type { Accounts } from './accounts.ts';
import { createNonces } from './nonces.ts';
import { discoverUpstream, isUpstreamIssuer, type UpstreamProvider } from './upstream-client.ts';

const SIGN_IN_SECONDS = 600;
const TICKET_SECONDS = 60;
const INTERACTION_UID = /^[A-Za-z0-9_-]{1,128}$/;

/** Why nobody was signed in. For the audit and for metrics: the page says of all of them that it did not work. */
export type UpstreamRefusal =
  /** No sign-in that was begun here: made up, too late, or completed before. */
  | 'unknown_state'
  /** The provider says no, or the person did there. */
  | 'denied'
  /** What the provider gave is not for this sign-in, this client or from this issuer, or it did not take the code. */
  | 'not_verified'
  /** The provider cannot be reached or does not answer as one. It may help to try again. */
  | 'provider_unavailable';

export type UpstreamStart =
  | { readonly kind: 'begun'; readonly url: string }
  | { readonly kind: 'refused'; readonly reason: 'provider_unavailable' };

export type UpstreamFinish =
  /** Nobody is signed in before the browser brings the ticket to its interaction. */
  | {
      readonly kind: 'signed_in';
      readonly accountId: string;
      readonly interactionUid: string;
      readonly ticket: string;
    }
  /** A person whom the provider knows and who may do nothing here. The id is the one to grant rights to. */
  | { readonly kind: 'not_enrolled'; readonly accountId: string; readonly interactionUid: string }
  | {
      readonly kind: 'refused';
      readonly reason: UpstreamRefusal;
      /** The interaction to go back to, where it is known. */
      readonly interactionUid?: string;
    };

export interface UpstreamOptions extends UpstreamProvider {
  readonly accounts: Accounts;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/**
 * Signs people in through an outside OpenID provider (OpenID Connect Core 1.0, code flow with PKCE S256).
 *
 * The provider answers to one fixed address, which no cookie of an interaction reaches. So `finish` signs nobody in: it
 * gives a ticket that is good for one minute, once, for one interaction, and `redeem` must be asked only for the
 * interaction whose cookie the browser has just shown. A browser that was lured to somebody else's answer has no such
 * cookie, and whoever began the sign-in never sees a ticket that was sent to another browser.
 */
export interface Upstream {
  /** Whom people sign in with. */
  readonly host: string;
  /** The address of the provider to go on to. */
  begin(interactionUid: string): Promise<UpstreamStart>;
  /** `callback`: the address that the provider sent the browser to; only its query is read. */
  finish(callback: string): Promise<UpstreamFinish>;
  /** The account that the ticket signs in, or undefined: late, used, made up, or of another interaction. */
  redeem(ticket: unknown, interactionUid: string): string | undefined;
}

/** Throws for an issuer that `isUpstreamIssuer` refuses. The provider is asked for nothing before someone signs in. */
export function createUpstream(options: UpstreamOptions): Upstream {
  const { issuer, redirectUri, accounts, clock, randomness } = options;
  if (!isUpstreamIssuer(issuer))
    throw new Error('the upstream issuer must be an https address without query');
  const states = createNonces({ clock, randomness, lifeSeconds: SIGN_IN_SECONDS });
  const tickets = createNonces({ clock, randomness, lifeSeconds: TICKET_SECONDS });
  let discovered: Promise<Configuration> | undefined;

  /** Undefined when the provider cannot be had; it is asked again the next time. */
  async function provider(): Promise<Configuration | undefined> {
    discovered ??= discoverUpstream(options);
    try {
      return await discovered;
    } catch {
      discovered = undefined;
      return undefined;
    }
  }

  /** The account id of whom a genuine ID token for this sign-in names. Rejects when there is none. */
  async function exchange(configuration: Configuration, query: string, state: string, nonce: string) {
    const { authorizationCodeGrant } = await import('openid-client');
    const callback = new URL(redirectUri);
    callback.search = query;
    const tokens = await authorizationCodeGrant(configuration, callback, {
      expectedState: state,
      expectedNonce: states.secretOf(nonce, 'nonce'),
      pkceCodeVerifier: states.secretOf(nonce, 'verifier'),
      idTokenExpected: true,
    });
    const claims = tokens.claims();
    return claims === undefined ? undefined : accountIdOf(claims.iss, claims.sub);
  }

  return {
    host: new URL(issuer).host,
    async begin(interactionUid) {
      if (!INTERACTION_UID.test(interactionUid)) throw new Error('not the uid of an interaction');
      const configuration = await provider();
      if (configuration === undefined) return { kind: 'refused', reason: 'provider_unavailable' };
      const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import('openid-client');
      const nonce = states.issue([interactionUid]);
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'openid',
        state: `${nonce}.${interactionUid}`,
        nonce: states.secretOf(nonce, 'nonce'),
        code_challenge: await calculatePKCECodeChallenge(states.secretOf(nonce, 'verifier')),
        code_challenge_method: 'S256',
      });
      return { kind: 'begun', url: url.href };
    },
    async finish(callback) {
      const query = queryOf(callback);
      const [nonce = '', interactionUid = ''] = (new URLSearchParams(query).get('state') ?? '').split('.', 2);
      if (!states.isGood(nonce, [interactionUid])) return { kind: 'refused', reason: 'unknown_state' };
      const configuration = await provider();
      if (configuration === undefined)
        return { kind: 'refused', reason: 'provider_unavailable', interactionUid };
      let accountId: string | undefined;
      try {
        accountId = await exchange(configuration, query, `${nonce}.${interactionUid}`, nonce);
      } catch (failure) {
        return { kind: 'refused', reason: await refusalOf(failure), interactionUid };
      }
      if (accountId === undefined) return { kind: 'refused', reason: 'not_verified', interactionUid };
      const account = await accounts.find(accountId);
      const mayNothing = account === undefined || account.scopes.size === 0 || isNone(account.subjects);
      if (mayNothing) return { kind: 'not_enrolled', accountId, interactionUid };
      if (!states.spend(nonce, [interactionUid], accountId))
        return { kind: 'refused', reason: 'unknown_state', interactionUid };
      const ticket = `${tickets.issue([interactionUid, accountId])}.${Buffer.from(accountId).toString('base64url')}`;
      return { kind: 'signed_in', accountId, interactionUid, ticket };
    },
    redeem(ticket, interactionUid) {
      if (typeof ticket !== 'string') return undefined;
      const [nonce = '', encodedId = ''] = ticket.split('.', 2);
      const accountId = Buffer.from(encodedId, 'base64url').toString();
      return tickets.spend(nonce, [interactionUid, accountId], accountId) ? accountId : undefined;
    },
  };
}

function isNone(subjects: ReadonlySet<string> | '*'): boolean {
  return subjects !== '*' && subjects.size === 0;
}

function queryOf(callback: string): string {
  const start = callback.indexOf('?');
  return start === -1 ? '' : callback.slice(start + 1).replace(/#.*$/s, '');
}

/** What an answer of another form than a provider's is called by the library. */
const UNREADABLE = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
  'OAUTH_PARSE_ERROR',
]);

async function refusalOf(failure: unknown): Promise<UpstreamRefusal> {
  const { AuthorizationResponseError } = await import('openid-client');
  if (failure instanceof AuthorizationResponseError) return 'denied';
  // `fetch` rejects with a TypeError when there is nobody at the other end.
  if (failure instanceof TypeError) return 'provider_unavailable';
  const code = failure instanceof Error && 'code' in failure ? String(failure.code) : '';
  return UNREADABLE.has(code) ? 'provider_unavailable' : 'not_verified';
}
