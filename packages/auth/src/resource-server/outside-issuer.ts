import type { CompactVerifyGetKey } from 'jose';
import type { Configuration } from 'openid-client';
import { ASYMMETRIC_ALGORITHMS, MAX_ACCESS_TOKEN_LENGTH } from '../access-token-format.ts';
import type { Clock } from '../clock.ts';
import { sha256Base64url } from '../digest.ts';
import { accountIdOf } from '../outside-identity.ts';
import { createFailurePause } from './failure-pause.ts';
import { createSignatureCheck } from './jws-signature.ts';
import { createRecentlyUsed } from './recently-used.ts';
import { claimsOf, parseObject, type TokenClaims } from './token-claims.ts';
import { revocationKeysOf, type TokenReader } from './token-reader.ts';
import { refuse, type VerifiedToken } from './verified-token.ts';

/** An issuer of ID tokens and of access tokens may give both this type; the audience tells them apart. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'at+jwt', 'application/at+jwt'];
/** How long what the issuer said of an opaque token counts. */
const INTROSPECTED_SECONDS = 60;
const ANSWER_SECONDS = 5;
/** How long, and of how many, a no of the issuer counts: whoever repeats a token has it asked about once. */
const REFUSED_MS = 10_000;
const MOST_REFUSED = 4096;
/** Anybody can make a text that has to be asked about, in the name of this server's own client. */
const MOST_AT_ONCE = 32;

export interface OutsideIssuerOptions {
  /** Exactly as it stands in `iss`. `https`, or `http` on this machine's own loopback address. */
  readonly issuer: string;
  /** This resource, exactly as it stands in `aud`. */
  readonly audience: string;
  readonly clock: Clock;
  /** Who this resource is there, to ask about opaque tokens (RFC 7662). Without it they do not count. */
  readonly client?: { readonly clientId: string; readonly clientSecret: string } | undefined;
}

/** Somebody else's authorization server whose tokens count at this resource. */
export interface OutsideIssuer {
  /** Whether the text is for this issuer to judge. Nothing of it is believed yet. */
  mayHaveMade(token: string): boolean;
  /** Rejects with {@link IssuerUnavailable} when the issuer cannot be asked. */
  readonly read: TokenReader;
}

/** The issuer of a token cannot be asked now, so nobody can say whether it counts. */
export class IssuerUnavailable extends Error {
  override readonly name = 'IssuerUnavailable';
}

/**
 * Reads an issuer's JWTs by its published keys and, with a client, its opaque tokens by asking it. Its people and
 * clients are named with the issuer before them, so that they never are ours of the same name. What it said of an opaque
 * token counts for a minute, and so long lives a stream that was opened with one: it is the longest that a revocation
 * there can go unnoticed here. A JWT is good until it ends by itself.
 */
export function createOutsideIssuer(options: OutsideIssuerOptions): OutsideIssuer {
  const { issuer, audience, client, clock } = options;
  const pause = createFailurePause(clock);
  const configuration = once(() => pause(() => discover(options)));
  const findKey = createKeyFinder(configuration, clock);
  const refused = createRecentlyUsed<number>(MOST_REFUSED);
  let asking = 0;
  const checkSignature = createSignatureCheck({ algorithms: ASYMMETRIC_ALGORITHMS, findKey });

  async function readSigned(compact: string): ReturnType<TokenReader> {
    const signed = await checkSignature(compact);
    if (signed.kind === 'refused') return signed;
    if (!TYPES.includes(signed.typ?.toLowerCase())) return refuse('wrong_type');
    const signingInput = compact.slice(0, compact.lastIndexOf('.'));
    return tokenOf(parseObject(signed.payload), sha256Base64url(signingInput));
  }

  async function introspect(token: string): ReturnType<TokenReader> {
    const tokenHash = sha256Base64url(token);
    const refusedUntil = refused.get(tokenHash);
    if (refusedUntil !== undefined && clock.now() < refusedUntil) return refuse('bad_signature');
    if (asking >= MOST_AT_ONCE) throw new IssuerUnavailable('too many tokens are being asked about');
    asking += 1;
    const answer = await asked(async () => {
      const { tokenIntrospection } = await import('openid-client');
      return tokenIntrospection(await configuration(), token, { token_type_hint: 'access_token' });
    }).finally(() => {
      asking -= 1;
    });
    if (!answer.active) {
      refused.set(tokenHash, clock.now() + REFUSED_MS);
      return refuse('bad_signature');
    }
    const now = clock.now() / 1000;
    const { exp = now + INTROSPECTED_SECONDS, iat = now } = answer;
    const times = { exp: Math.min(exp, now + INTROSPECTED_SECONDS), iat, nbf: answer.nbf ?? iat };
    return tokenOf({ iss: issuer, jti: tokenHash, ...answer, ...times }, tokenHash);
  }

  function tokenOf(claims: Readonly<Record<string, unknown>> | undefined, tokenHash: string) {
    if (claims === undefined) return refuse('malformed');
    const read = claimsOf({ jti: tokenHash, ...claims, ...spelledAsOurs(claims) }, { issuer, audience });
    if (read.kind === 'refused') return read;
    const named = withIssuer(issuer, read.claims);
    if (named === undefined) return refuse('malformed');
    const token: VerifiedToken = { tokenHash, ...named, revocationKeys: revocationKeysOf(tokenHash, named) };
    return { kind: 'read' as const, token };
  }

  return {
    mayHaveMade(token) {
      const parts = token.split('.');
      return parts.length === 3 ? issuerIn(parts[1] ?? '') === issuer : client !== undefined;
    },
    async read(token) {
      if (token.length > MAX_ACCESS_TOKEN_LENGTH) return refuse('malformed');
      return token.split('.').length === 3 ? readSigned(token) : introspect(token);
    },
  };
}

/** Scopes as a list and the client as `azp` are how some issuers spell them. */
function spelledAsOurs({ scope, scp, client_id: clientId, azp }: Readonly<Record<string, unknown>>) {
  const listed = Array.isArray(scp) ? scp.join(' ') : scp;
  // What only our own tokens can say must not come from elsewhere.
  return {
    scope: scope ?? listed,
    client_id: clientId ?? azp,
    grant_id: undefined,
    account_epoch: undefined,
  };
}

function withIssuer(issuer: string, claims: TokenClaims): TokenClaims | undefined {
  const sub = accountIdOf(issuer, claims.sub);
  const clientId = accountIdOf(issuer, claims.clientId);
  return sub === undefined || clientId === undefined ? undefined : { ...claims, sub, clientId };
}

function issuerIn(payload: string): unknown {
  return parseObject(Buffer.from(payload, 'base64url'))?.iss;
}

/** The issuer's metadata, which must name the issuer: by RFC 8414, or where OpenID Connect Discovery puts it. */
async function discover({ issuer, client }: OutsideIssuerOptions): Promise<Configuration> {
  const library = await import('openid-client');
  const { clientId, clientSecret } = client ?? { clientId: 'none', clientSecret: undefined };
  const by = clientSecret === undefined ? library.None() : library.ClientSecretBasic(clientSecret);
  const isLocal = new URL(issuer).protocol === 'http:';
  const discoverBy = (algorithm: 'oauth2' | 'oidc') =>
    library.discovery(new URL(issuer), clientId, {}, by, {
      algorithm,
      timeout: ANSWER_SECONDS,
      ...(isLocal && { execute: [library.allowInsecureRequests] }),
    });
  try {
    return await discoverBy('oauth2');
  } catch (error) {
    if (!isAbsence(error)) throw error;
    return discoverBy('oidc');
  }
}

/** Whether the issuer answered that it has no such document; anything else is no reason to look elsewhere. */
function isAbsence(error: unknown): boolean {
  const cause: unknown = error instanceof Error ? error.cause : undefined;
  return cause instanceof Response && cause.status >= 400 && cause.status < 500;
}

/** Finds keys in the issuer's published set, which is fetched again for an unknown one, and not more often than that. */
function createKeyFinder(configuration: () => Promise<Configuration>, clock: Clock): CompactVerifyGetKey {
  const pause = createFailurePause(clock);
  const published = once(async () => {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const { jwks_uri: address = '' } = (await configuration()).serverMetadata();
    return createRemoteJWKSet(new URL(address), {
      timeoutDuration: ANSWER_SECONDS * 1000,
      cooldownDuration: 30_000,
      cacheMaxAge: 300_000,
      [customFetch]: (url: string, init: RequestInit) =>
        pause(async () => {
          const answer = await fetch(url, init);
          if (!answer.ok) throw new Error(`the issuer's keys: status ${answer.status}`);
          return answer;
        }),
    });
  });
  return async (header, token) => {
    const { errors } = await import('jose');
    try {
      return await (await published())(header, token);
    } catch (error) {
      const isAnswer =
        error instanceof errors.JWKSNoMatchingKey ||
        error instanceof errors.JWKSMultipleMatchingKeys ||
        error instanceof errors.JOSENotSupported;
      throw isAnswer ? error : new IssuerUnavailable('the issuer’s keys cannot be had', { cause: error });
    }
  };
}

async function asked<Answer>(work: () => Promise<Answer>): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    throw new IssuerUnavailable('the issuer cannot be asked about a token', { cause });
  }
}

/** Does work once; when it fails, once more the next time. */
function once<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let done: Promise<Result> | undefined;
  return () => {
    done ??= work().catch((error: unknown) => {
      done = undefined;
      throw error;
    });
    return done;
  };
}
