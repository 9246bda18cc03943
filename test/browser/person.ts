import { createHash, randomBytes } from 'node:crypto';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';
import type { RunningServer } from '../harness/running-server.ts';
import { CALLBACK } from '../harness/sign-in.ts';
import { recordDocument } from './leak-scan.ts';

/** The authenticator of a browser, without a person in front of it. */
export interface Authenticator {
  credentials(): Promise<object[]>;
  /** Whether the person touches it when it is asked. */
  touched(isTouched: boolean): Promise<void>;
}

/** A person at an address, with an authenticator that has these passkeys. */
export async function openPerson(
  context: BrowserContext,
  address: string,
  credentials: readonly object[] = [],
): Promise<{ page: Page; authenticator: Authenticator; complaints: string[] }> {
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  await recordDocument(page);
  const session: CDPSession = await context.newCDPSession(page);
  await session.send('WebAuthn.enable');
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  });
  for (const credential of credentials)
    await session.send('WebAuthn.addCredential', { authenticatorId, credential: credential as never });
  await page.goto(address);
  const authenticator: Authenticator = {
    async credentials() {
      return (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials;
    },
    async touched(isTouched) {
      await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: isTouched });
    },
  };
  return { page, authenticator, complaints };
}

/** An application that nobody knows, and the address that it sends a person to. */
export async function application(
  server: RunningServer,
  name: string,
): Promise<{ clientId: string; verifier: string; address: string }> {
  const registered = await fetch(`${server.url}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: name,
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'none',
    }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  return { clientId, ...authorizationOf(server, clientId) };
}

/** The address that an application of this id sends a person to. */
export function authorizationOf(
  server: RunningServer,
  clientId: string,
): { verifier: string; address: string } {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: CALLBACK,
    scope: 'care.read.user care.read.assistant',
    state: 'the state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { verifier, address: `${server.url}/authorize?${parameters}` };
}
