// A person who agrees to everything, for clients that take an OAuth provider: the consent page is fetched, and the
// code is read from where it leads.

export function agreeingProvider(redirectUrl = 'http://127.0.0.1:33418/callback') {
  const kept = {};
  return {
    code: undefined,
    redirectUrl,
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
      const answer = await fetch(url, { redirect: 'manual' });
      const landed = new URL(answer.headers.get('location') ?? 'about:blank');
      this.code = landed.searchParams.get('code') ?? undefined;
      this.landed = landed.searchParams;
    },
  };
}
