import { createHash } from 'node:crypto';
import { protectedResourceMetadata } from '@unsay/auth/resource-server';
import type { Note } from './arrival.ts';

/** An answer of the authorization server. */
export interface AuthorizationAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly notes?: readonly Note[];
}

/**
 * An authorization server that says yes to everyone: enough to see how far a client walks. It protects nothing but
 * the probe's own pretended facts, and everything that it issued ends with the process.
 */
export interface Authorization {
  /** Answers a request that is part of the walk; null for any other. */
  answer(method: string, url: URL, body: string): AuthorizationAnswer | null;
  /** Whether a bearer token was issued here. */
  isIssued(token: string): boolean;
}

interface Pending {
  readonly redirectUri: string;
  readonly challenge: string | null;
}

const SCOPES = ['care.read.user'];

/** Makes the authorization server at an origin. `draw` gives an unguessable text for a purpose. */
export function createAuthorization(origin: string, draw: (purpose: string) => string): Authorization {
  const redirects = new Map<string, readonly string[]>();
  const codes = new Map<string, Pending>();
  const tokens = new Set<string>();
  const refreshed = new Map<string, boolean>();

  function register(body: string): AuthorizationAnswer {
    const asked = json(body);
    const uris = Array.isArray(asked.redirect_uris) ? asked.redirect_uris.map(String) : [];
    const clientId = draw('client id');
    redirects.set(clientId, uris);
    return { status: 201, body: { ...asked, client_id: clientId, token_endpoint_auth_method: 'none' } };
  }

  function authorize({ searchParams }: URL): AuthorizationAnswer {
    const redirectUri = searchParams.get('redirect_uri') ?? '';
    const registered = redirects.get(searchParams.get('client_id') ?? '') ?? [];
    const differs = registered.some((uri) => sameButPort(uri, redirectUri));
    if (!registered.includes(redirectUri) && !differs) {
      const notes: Note[] = ['the redirect was not registered'];
      return { status: 400, body: { error: 'invalid_request' }, notes };
    }
    const code = draw('authorization code');
    codes.set(code, { redirectUri, challenge: searchParams.get('code_challenge') });
    const location = new URL(redirectUri);
    location.searchParams.set('code', code);
    location.searchParams.set('iss', origin);
    const state = searchParams.get('state');
    if (state !== null) location.searchParams.set('state', state);
    const notes: Note[] = registered.includes(redirectUri)
      ? []
      : ['the redirect differs from the registered one in its port'];
    return { status: 302, headers: { location: location.href }, notes };
  }

  function token(body: string): AuthorizationAnswer {
    const form = new URLSearchParams(body);
    if (form.get('grant_type') === 'refresh_token') return refresh(form.get('refresh_token') ?? '');
    const code = form.get('code') ?? '';
    const pending = codes.get(code);
    codes.delete(code);
    const proof = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    const isGood = pending?.redirectUri === form.get('redirect_uri') && pending?.challenge === proof;
    return isGood ? issue() : { status: 400, body: { error: 'invalid_grant' } };
  }

  function refresh(given: string): AuthorizationAnswer {
    const used = refreshed.get(given);
    if (used === undefined) return { status: 400, body: { error: 'invalid_grant' } };
    refreshed.set(given, true);
    return { ...issue(), notes: used ? ['a refresh token came twice'] : [] };
  }

  function issue(): AuthorizationAnswer {
    const [access, refreshToken] = [draw('access token'), draw('refresh token')];
    tokens.add(access);
    refreshed.set(refreshToken, false);
    const body = {
      access_token: access,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: refreshToken,
      scope: SCOPES.join(' '),
    };
    return { status: 200, headers: { 'cache-control': 'no-store' }, body };
  }

  return {
    answer(method, url, body) {
      switch (`${method} ${url.pathname}`) {
        case 'GET /.well-known/oauth-protected-resource/mcp':
          return { status: 200, body: resourceMetadata(origin) };
        case 'GET /.well-known/oauth-authorization-server':
          return { status: 200, body: serverMetadata(origin) };
        case 'POST /register':
          return register(body);
        case 'GET /authorize':
          return authorize(url);
        case 'POST /token':
          return token(body);
        default:
          return null;
      }
    },
    isIssued: (given) => tokens.has(given),
  };
}

function resourceMetadata(origin: string): unknown {
  return protectedResourceMetadata({
    resource: `${origin}/mcp`,
    authorizationServers: [origin],
    scopes: SCOPES,
    name: 'Probe',
  });
}

function serverMetadata(origin: string): unknown {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    scopes_supported: SCOPES,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['none'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
}

/** Whether two addresses on loopback differ in nothing but the port (RFC 8252, section 7.3). */
function sameButPort(registered: string, given: string): boolean {
  if (!URL.canParse(registered) || !URL.canParse(given)) return false;
  const [one, other] = [new URL(registered), new URL(given)];
  if (!['127.0.0.1', '[::1]', 'localhost'].includes(one.hostname)) return false;
  one.port = other.port;
  return one.href === other.href;
}

function json(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
