import { Client as OfficialClient, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { WireTap } from '../harness/wire-tap.ts';

/** What a client and a server told each other that they can, and what a subscription came to. */
export interface Negotiation {
  readonly client: string;
  readonly server: string;
  /** The revision that they settled on. */
  readonly revision: string;
  readonly clientCapabilities: Capabilities;
  readonly serverCapabilities: Capabilities;
  /** How the client asked to be told of changes; null where the server did not offer it. */
  readonly subscribedBy: 'resources/subscribe' | 'subscriptions/listen' | null;
  /** Of the URIs that it asked for, those that were honoured; null where the era does not say. */
  readonly honoured: readonly string[] | null;
}

export type Capabilities = Readonly<Record<string, unknown>>;

export interface Target {
  /** The address of the MCP endpoint. */
  readonly url: string;
  readonly token: string;
  /** The resource to subscribe to. */
  readonly uri: string;
}

/** Each client that is asked, by name. */
export const NEGOTIATORS: Readonly<Record<string, (target: Target) => Promise<Negotiation>>> = {
  'official client, newer era': (target) => withOfficial('official client, newer era', '2026-07-28', target),
  'official client, older era': (target) => withOfficial('official client, older era', 'legacy', target),
  'old SDK': withOld,
};

const WHO = { name: 'probe-subscribe', version: '0.1.0' };
const CAN = { roots: { listChanged: true }, elicitation: {} };

async function withOfficial(
  name: string,
  mode: 'legacy' | '2026-07-28',
  target: Target,
): Promise<Negotiation> {
  const { url, token, uri } = target;
  const tap = new WireTap();
  const client = new OfficialClient(WHO, {
    capabilities: CAN,
    versionNegotiation: { mode: mode === 'legacy' ? mode : { pin: mode } },
  });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { fetch: tap.fetch, requestInit }));
  try {
    const can = client.getServerCapabilities() ?? {};
    const common = {
      client: name,
      server: named(client.getServerVersion()),
      ...saidIn(tap),
      serverCapabilities: can,
    };
    if (can.resources?.subscribe !== true) return { ...common, subscribedBy: null, honoured: null };
    if (mode === 'legacy') {
      await client.subscribeResource({ uri });
      return { ...common, subscribedBy: 'resources/subscribe', honoured: null };
    }
    const { honoredFilter } = await client.listen({ resourceSubscriptions: [uri] });
    const honoured = honoredFilter.resourceSubscriptions ?? [];
    return { ...common, subscribedBy: 'subscriptions/listen', honoured };
  } finally {
    await client.close();
  }
}

async function withOld({ url, token, uri }: Target): Promise<Negotiation> {
  const tap = new WireTap();
  const client = new OldClient(WHO, { capabilities: CAN });
  const requestInit = { headers: { authorization: `Bearer ${token}` } };
  const transport = new OldTransport(new URL(url), { fetch: tap.fetch, requestInit });
  // The transport's optional members are typed without exactOptionalPropertyTypes in mind.
  await client.connect(transport as Parameters<OldClient['connect']>[0]);
  try {
    const can = client.getServerCapabilities() ?? {};
    const common = {
      client: 'old SDK',
      server: named(client.getServerVersion()),
      ...saidIn(tap),
      serverCapabilities: can,
    };
    if (can.resources?.subscribe !== true) return { ...common, subscribedBy: null, honoured: null };
    await client.subscribeResource({ uri });
    return { ...common, subscribedBy: 'resources/subscribe', honoured: null };
  } finally {
    await client.close();
  }
}

/** What the client said on the wire: its first message names its capabilities, the answer or the request the revision. */
function saidIn({ exchanges }: WireTap): Pick<Negotiation, 'revision' | 'clientCapabilities'> {
  const [first] = exchanges;
  if (first === undefined) throw new Error('the client sent nothing');
  const { params } = JSON.parse(first.request);
  const meta = params._meta ?? {};
  const { result } = JSON.parse(first.text);
  return {
    revision: result.protocolVersion ?? meta['io.modelcontextprotocol/protocolVersion'],
    clientCapabilities: params.capabilities ?? meta['io.modelcontextprotocol/clientCapabilities'] ?? {},
  };
}

function named(server: { readonly name: string; readonly version: string } | undefined): string {
  return server === undefined ? 'a server without a name' : `${server.name} ${server.version}`;
}

/** What a person reads: one block for each client. */
export function textOf(negotiations: readonly Negotiation[]): string {
  const blocks = negotiations.map((each) => {
    const rows = [
      ['server', each.server],
      ['revision', each.revision],
      ['client can', listed(each.clientCapabilities)],
      ['server can', listed(each.serverCapabilities)],
      ['subscribed', subscription(each)],
    ];
    return [each.client, ...rows.map(([name = '', value]) => `  ${name.padEnd(11)} ${value}`)].join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}

function subscription({ subscribedBy, honoured }: Negotiation): string {
  if (subscribedBy === null) return 'not offered';
  if (honoured === null) return `by ${subscribedBy}`;
  return `by ${subscribedBy}, honoured: ${honoured.join(', ') || 'nothing'}`;
}

/** Capabilities as paths: `resources.subscribe`, `tools`. */
function listed(capabilities: Capabilities): string {
  return paths(capabilities).join(', ') || 'nothing';
}

function paths(value: Capabilities, before = ''): readonly string[] {
  return Object.entries(value).flatMap(([key, inner]) => {
    const isEmpty = typeof inner !== 'object' || inner === null || Object.keys(inner).length === 0;
    if (inner === false) return [];
    return isEmpty ? [`${before}${key}`] : paths(inner as Capabilities, `${before}${key}.`);
  });
}
