import { Client as ModernClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as LegacyClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as LegacyTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CallToolResultSchema,
  CompleteResultSchema,
  GetPromptResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListResourceTemplatesResultSchema,
  ListToolsResultSchema,
  ReadResourceResultSchema,
  ResourceListChangedNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { type Exchange, WireTap } from './wire-tap.ts';

/** Modern is revision 2026-07-28; legacy is 2025-11-25. */
export type Era = 'modern' | 'legacy';

export const ERAS: readonly Era[] = ['modern', 'legacy'];

/** What a legacy client checks each answer against. A modern client finds the schema by itself. */
const LEGACY_RESULTS = {
  'resources/list': ListResourcesResultSchema,
  'resources/templates/list': ListResourceTemplatesResultSchema,
  'resources/read': ReadResourceResultSchema,
  'completion/complete': CompleteResultSchema,
  'prompts/list': ListPromptsResultSchema,
  'prompts/get': GetPromptResultSchema,
  'tools/list': ListToolsResultSchema,
  'tools/call': CallToolResultSchema,
} as const;

/** A method that the clients can call. */
export type CallMethod = keyof typeof LEGACY_RESULTS;

/** The error of a JSON-RPC answer. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: { readonly uri?: string };
}

/** A refused call: its error, and the exchange that carried it. */
export interface Refusal extends RpcError {
  readonly on: Exchange;
}

/** What came over a stream: a resource's URI, or that the list changed. */
export type Heard = string;

export const LIST_CHANGED: Heard = 'the list changed';

/** A real client of one era, with its wire tapped. */
export interface EraClient {
  readonly era: Era;
  readonly tap: WireTap;
  /** Calls a method through the client and gives the result as it was on the wire. */
  call(method: CallMethod, params?: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  /** The same for a call that must be refused. */
  refusal(method: CallMethod, params?: Readonly<Record<string, unknown>>): Promise<Refusal>;
  /** Calls a tool; the client checks the answer against the tool's output schema. */
  tool(name: string, args: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>>;
  /** Opens a stream for these URIs and for changes of the list; gives the URIs that were honoured. */
  follow(uris: readonly string[]): Promise<readonly string[]>;
  /** What comes next over the stream. */
  heard(): Promise<Heard>;
  close(): Promise<void>;
}

/** Connects a client to a server. */
export async function connect(era: Era, url: string, token: string): Promise<EraClient> {
  return era === 'modern' ? connectModern(url, token) : connectLegacy(url, token);
}

async function connectModern(url: string, token: string): Promise<EraClient> {
  const [tap, ear] = [new WireTap(), new Ear()];
  const client = new ModernClient(
    { name: 'contract-test', version: '0' },
    { versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => ear.hear(params.uri));
  client.setNotificationHandler('notifications/resources/list_changed', () => ear.hear(LIST_CHANGED));
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      fetch: tap.fetch,
      requestInit: bearer(token),
    }),
  );
  const request = (method: CallMethod, params: object): Promise<unknown> =>
    client.request({ method, params: { ...params } });
  return {
    era: 'modern',
    tap,
    ...calls(tap, request),
    async tool(name, args) {
      await client.listTools();
      await client.callTool({ name, arguments: args });
      return resultOf(tap.last('tools/call'));
    },
    async follow(uris) {
      const filter = { resourceSubscriptions: [...uris], resourcesListChanged: true };
      return (await client.listen(filter)).honoredFilter.resourceSubscriptions ?? [];
    },
    heard: () => ear.next(),
    close: () => client.close(),
  };
}

async function connectLegacy(url: string, token: string): Promise<EraClient> {
  const [tap, ear] = [new WireTap(), new Ear()];
  const client = new LegacyClient({ name: 'contract-test', version: '0' });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => ear.hear(params.uri));
  client.setNotificationHandler(ResourceListChangedNotificationSchema, () => ear.hear(LIST_CHANGED));
  const transport = new LegacyTransport(new URL(`${url}/mcp`), {
    fetch: tap.fetch,
    requestInit: bearer(token),
    reconnectionOptions: {
      maxRetries: 0,
      initialReconnectionDelay: 1,
      maxReconnectionDelay: 1,
      reconnectionDelayGrowFactor: 1,
    },
  });
  // The transport's optional members are typed without exactOptionalPropertyTypes in mind.
  await client.connect(transport as Parameters<LegacyClient['connect']>[0]);
  const request = (method: CallMethod, params: object): Promise<unknown> =>
    client.request({ method, params: { ...params } }, LEGACY_RESULTS[method]);
  return {
    era: 'legacy',
    tap,
    ...calls(tap, request),
    async tool(name, args) {
      await client.listTools();
      await client.callTool({ name, arguments: args });
      return resultOf(tap.last('tools/call'));
    },
    async follow(uris) {
      await tap.streaming();
      await client.listResources();
      const honoured: string[] = [];
      for (const uri of uris) {
        const answer = await client.subscribeResource({ uri }).catch(() => null);
        if (answer !== null) honoured.push(uri);
      }
      return honoured;
    },
    heard: () => ear.next(),
    close: () => client.close(),
  };
}

function calls(
  tap: WireTap,
  request: (method: CallMethod, params: object) => Promise<unknown>,
): Pick<EraClient, 'call' | 'refusal'> {
  return {
    async call(method, params = {}) {
      await request(method, params);
      return resultOf(tap.last(method));
    },
    async refusal(method, params = {}) {
      const answered = await request(method, params).then(
        () => true,
        () => false,
      );
      const on = tap.last(method);
      if (answered) throw new Error(`${method} was not refused: ${on.text}`);
      return { ...(JSON.parse(on.text) as { error: RpcError }).error, on };
    },
  };
}

function resultOf({ text }: Exchange): Record<string, unknown> {
  return (JSON.parse(text) as { result: Record<string, unknown> }).result;
}

function bearer(token: string): { headers: Record<string, string> } {
  return { headers: { authorization: `Bearer ${token}` } };
}

class Ear {
  readonly #heard: Heard[] = [];
  #waiting: ((heard: Heard) => void) | undefined;

  hear(heard: Heard): void {
    if (this.#waiting === undefined) this.#heard.push(heard);
    else this.#waiting(heard);
    this.#waiting = undefined;
  }

  async next(): Promise<Heard> {
    return (
      this.#heard.shift() ??
      new Promise((resolve) => {
        this.#waiting = resolve;
      })
    );
  }
}
