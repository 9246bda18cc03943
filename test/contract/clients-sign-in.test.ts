import {
  Client as OfficialClient,
  StreamableHTTPClientTransport as OfficialTransport,
} from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type DocumentHost, startDocumentHost } from '../harness/client-document.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { CALLBACK, Person } from '../harness/sign-in.ts';

const WOUND = 'care://ray/wound';
const INFO = { name: 'a client', version: '1.0.0' };

const data = temporaryFolder();
let server: RunningServer;
let documents: DocumentHost;
let owner: Person;

beforeAll(async () => {
  documents = await startDocumentHost();
  server = await startServer(data, documents.settings);
  owner = new Person(server);
  await owner.enrol();
});

afterAll(async () => {
  await server?.kill();
  await documents?.close();
  removeFolder(data);
});

/** What a program keeps for its client, with a person who allows what is asked in front of its browser. */
class Keeper {
  readonly redirectUrl = CALLBACK;
  readonly clientMetadata = {
    client_name: 'A client',
    redirect_uris: [CALLBACK],
    token_endpoint_auth_method: 'none',
  };
  readonly clientMetadataUrl?: string;
  /** What it was sent back with. */
  returned = new URLSearchParams();
  #verifier = '';
  #found: { authorizationServerUrl: string } | undefined;
  #known: { client_id: string } | undefined;
  #tokens: { access_token: string; token_type: string } | undefined;

  constructor(document: string | undefined) {
    if (document !== undefined) this.clientMetadataUrl = document;
  }

  get clientId(): string | undefined {
    return this.#known?.client_id;
  }

  state = () => 'a state';
  clientInformation = () => this.#known;
  saveClientInformation = (known: { client_id: string }) => {
    this.#known = known;
  };
  tokens = () => this.#tokens;
  saveTokens = (tokens: { access_token: string; token_type: string }) => {
    this.#tokens = tokens;
  };
  /** Which server it was sent to, so that the answer of another is not taken for its own. */
  discoveryState = () => this.#found;
  saveDiscoveryState = (found: { authorizationServerUrl: string }) => {
    this.#found = found;
  };
  codeVerifier = () => this.#verifier;
  saveCodeVerifier = (verifier: string) => {
    this.#verifier = verifier;
  };
  redirectToAuthorization = async (address: URL) => {
    const asked = await owner.signIn(await owner.sentBy(address));
    this.returned = (await owner.allow(asked.pathname, ['ray'])).searchParams;
  };
}

/** A client of others: connects and reads, and goes and gets a token where it is asked for one. */
type SignsInAndReads = (keeper: Keeper) => Promise<number>;

const official =
  (mode: 'auto' | 'legacy'): SignsInAndReads =>
  async (authProvider) => {
    const client = new OfficialClient(INFO, { versionNegotiation: { mode } });
    const transport = () => new OfficialTransport(new URL(`${server.url}/mcp`), { authProvider });
    const first = transport();
    await expect(client.connect(first)).rejects.toThrow();
    await first.finishAuth(authProvider.returned);
    await client.connect(transport());
    const { contents } = await client.readResource({ uri: WOUND });
    await client.close();
    return contents.length;
  };

const old: SignsInAndReads = async (authProvider) => {
  const client = new OldClient(INFO);
  const transport = () => new OldTransport(new URL(`${server.url}/mcp`), { authProvider });
  const first = transport();
  await expect(client.connect(first)).rejects.toThrow();
  await first.finishAuth(authProvider.returned.get('code') ?? '');
  await client.connect(transport());
  const { contents } = await client.readResource({ uri: WOUND });
  await client.close();
  return contents.length;
};

describe.each<[string, SignsInAndReads]>([
  ['the official client, negotiating', official('auto')],
  ['the official client in the older era', official('legacy')],
  ['the older SDK’s client', old],
])('%s', (name, signInAndRead) => {
  it('finds out where to sign in, registers, is let in and reads', async () => {
    const keeper = new Keeper(undefined);
    expect(await signInAndRead(keeper)).toBe(1);
    expect(keeper.clientId).toMatch(/^[\w-]{16,}$/);
  });

  it('is known by the address of its metadata document, is let in and reads', async () => {
    const path = `/${encodeURIComponent(name)}.json`;
    const document = documents.serve(path, { client_name: 'A client', redirect_uris: [CALLBACK] });
    const keeper = new Keeper(document);
    expect(await signInAndRead(keeper)).toBe(1);
    expect([keeper.clientId, documents.fetched(path)]).toEqual([document, true]);
  });
});
