// A person who agrees to everything, for clients that take an OAuth provider: the code is read from where the address
// that they are sent to leads. Where a server asks people itself, PERSON is the address of somebody who answers.

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readArguments } from './acts.mjs';

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

/** The same for a program that keeps its token in a file of its home, with nobody there who could sign in again. */
export function afterItsKeptTokenEnded(read) {
  if (process.env.PERSON === undefined || !readArguments().signsIn) return {};
  return {
    refresh: async () => {
      const kept = filesWithToken(process.cwd());
      if (kept.length === 0) throw new Error('no file of it has its token');
      for (const { path, text } of kept)
        writeFileSync(path, text.replaceAll(TOKEN, 'one-that-ended'), 'latin1');
      writeFileSync(join(process.cwd(), 'nobody-is-there'), '');
      const detail = await read().catch((error) => {
        throw error.message.includes('/authorize?') ? new Error('it sent for the person again') : error;
      });
      // One that has it in mind besides would not have noticed.
      if (filesWithToken(process.cwd()).length === 0) throw new Error('it read on without another token');
      return detail;
    },
  };
}

const TOKEN = /eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

function filesWithToken(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }))
    .filter(({ text }) => text.search(TOKEN) >= 0);
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
