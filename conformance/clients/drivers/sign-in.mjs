// A person who agrees to everything, for clients that take an OAuth provider: the code is read from where the address
// that they are sent to leads. Where a server asks people itself, PERSON is the address of somebody who answers.

/** Where the answer to a client of a driver goes. Nobody listens there: the driver reads it on its way. */
export const REDIRECT = 'http://127.0.0.1:33418/callback';

/** Sends the person to an address; with `manual`, only as far as where they are sent back to. */
export function agree(address, redirect = 'follow') {
  const { PERSON } = process.env;
  const door = PERSON === undefined ? address : `${PERSON}?${new URLSearchParams({ to: address })}`;
  return fetch(door, { redirect });
}

/** `document` is the address of a client metadata document, for a client that has one. */
export function agreeingProvider(document) {
  const kept = {};
  const redirectUrl = REDIRECT;
  return {
    code: undefined,
    redirectUrl,
    ...(document && { clientMetadataUrl: document }),
    clientMetadata: {
      client_name: 'driver',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    state: () => 'a state of the driver',
    clientInformation: () => kept.client,
    saveClientInformation(client) {
      kept.client = client;
    },
    tokens: () => kept.tokens,
    saveTokens(tokens) {
      kept.tokens = tokens;
    },
    codeVerifier: () => kept.verifier,
    saveCodeVerifier(verifier) {
      kept.verifier = verifier;
    },
    async redirectToAuthorization(url) {
      const answer = await agree(String(url), 'manual');
      const landed = new URL(answer.headers.get('location') ?? 'about:blank');
      this.code = landed.searchParams.get('code') ?? undefined;
      this.landed = landed.searchParams;
    },
  };
}

/** A step for a client whose token ended: it has to get the next one by itself. None where no person let it in. */
export function afterItsTokenEnded(provider, read) {
  if (provider === undefined || process.env.PERSON === undefined) return {};
  return {
    refresh: async () => {
      const { refresh_token: before } = provider.tokens();
      provider.saveTokens({ ...provider.tokens(), access_token: 'one that ended' });
      const detail = await read();
      if (provider.tokens().refresh_token === before) throw new Error('its refresh token is still the same');
      return detail;
    },
  };
}

/** The last words of a page, where a person reads why. */
export function plain(page) {
  const words = page
    .replace(/<style>.*?<\/style>/gs, ' ')
    .replace(/<[^>]*>/g, ' ')
    .trim()
    .split(/\s*\n\s*/);
  return words.at(-1) ?? '';
}
