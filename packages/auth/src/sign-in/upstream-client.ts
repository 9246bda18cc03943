import type { ClientAuth, Configuration, CustomFetch } from 'openid-client';

/** Seconds that the provider has for one answer. */
const ANSWER_SECONDS = 10;
const MAX_ANSWER_BYTES = 262_144;

/** Where this installation is registered as a client. */
export interface UpstreamProvider {
  /** The issuer identifier of an OpenID provider: `https`, or `http` on this machine's own loopback address. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret?: string | undefined;
  /** Registered with the provider: the fixed address of the callback. */
  readonly redirectUri: string;
}

/** Whether the text can be the issuer of an upstream provider. */
export function isUpstreamIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  const isBare = `${username}${password}${search}${hash}` === '' && !/[?#]/.test(text);
  return isBare && (protocol === 'https:' || isLoopback(text));
}

function isLoopback(issuer: string): boolean {
  const { protocol, hostname } = new URL(issuer);
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}

/** Reads the provider's metadata (OpenID Connect Discovery 1.0). Rejects when it cannot be had or is not the issuer's. */
export async function discoverUpstream({
  issuer,
  clientId,
  clientSecret,
}: UpstreamProvider): Promise<Configuration> {
  const library = await import('openid-client');
  // Without a secret PKCE alone binds the code to this client. With one, Basic is what every provider must take.
  const authenticate: ClientAuth = (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
    const withSecret = methods.includes('client_secret_basic')
      ? library.ClientSecretBasic
      : library.ClientSecretPost;
    const by = clientSecret === undefined ? library.None() : withSecret(clientSecret);
    by(server, ...request);
  };
  return await library.discovery(new URL(issuer), clientId, {}, authenticate, {
    timeout: ANSWER_SECONDS,
    [library.customFetch]: fetchBounded,
    // The signature of the ID token is checked as well, though it comes from the provider itself.
    execute: [
      library.enableNonRepudiationChecks,
      ...(isLoopback(issuer) ? [library.allowInsecureRequests] : []),
    ],
  });
}

/** The library reads whole answers, so an endless one must end here. */
const fetchBounded: CustomFetch = async (url, { body, ...init }) => {
  const response = await fetch(url, body === undefined ? init : { ...init, body });
  let size = 0;
  const bounded = response.body?.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        size += chunk.byteLength;
        if (size > MAX_ANSWER_BYTES)
          controller.error(new RangeError('the answer of the provider is too long'));
        else controller.enqueue(chunk);
      },
    }),
  );
  const { status, statusText, headers } = response;
  return new Response(bounded ?? null, { status, statusText, headers });
};
