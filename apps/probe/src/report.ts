import { type Arrival, at, type Kept } from './arrival.ts';
import { odditiesOf, toEndpoint } from './oddities.ts';
import type { StoredArrival } from './store.ts';

/** What one client did, in one run of the probe. */
export interface ClientReport {
  readonly run: number;
  readonly day: string;
  readonly phase: string;
  readonly client: string;
  readonly version: string;
  /** Null of a client that never spoke the protocol. */
  readonly era: 'legacy' | 'modern' | 'both' | null;
  readonly revisions: readonly string[];
  readonly capabilities: Kept;
  readonly firstMethod: string | null;
  /** Every method that it called, once, in order. */
  readonly methods: readonly string[];
  /** What it fetched besides the endpoint, and the challenges, in order, with the status that it got. */
  readonly walk: readonly string[];
  /** Requests that it sent again after a refusal. */
  readonly retries: number;
  readonly requests: number;
  readonly oddities: readonly string[];
}

const META = 'io.modelcontextprotocol';

/** Reports on every client of a store, in the order in which they came. */
export function reportOn(arrivals: readonly StoredArrival[]): readonly ClientReport[] {
  return clientsIn(arrivals).map(reportOnClient);
}

/** The arrivals of each client, in the order in which the clients came. */
export function clientsIn(arrivals: readonly StoredArrival[]): readonly (readonly StoredArrival[])[] {
  return [...Map.groupBy(arrivals, ({ run, visitor }) => `${run} ${visitor}`).values()];
}

function reportOnClient(arrivals: readonly StoredArrival[]): ClientReport {
  const first = arrivals[0];
  if (first === undefined) throw new Error('a client that sent nothing');
  const messages = arrivals.filter((each) => toEndpoint(each) && at(each.body, 'method') !== undefined);
  const methods = messages.map(({ body }) => String(at(body, 'method')));
  const info = firstOf(messages, 'clientInfo');
  return {
    run: first.run,
    day: first.day,
    phase: first.phase,
    client: String(at(info, 'name') ?? agentName(arrivals)),
    version: String(at(info, 'version') ?? '?'),
    era: eraOf(messages),
    revisions: revisionsOf(messages),
    capabilities: firstOf(messages, 'capabilities') ?? firstOf(messages, 'clientCapabilities') ?? {},
    firstMethod: methods[0] ?? null,
    methods: [...new Set(methods)],
    walk: walkOf(arrivals),
    retries: retriesIn(arrivals),
    requests: arrivals.length,
    oddities: odditiesOf(arrivals),
  };
}

/** The first value of a field of `params`, or of the same field of its `_meta`. */
function firstOf(messages: readonly Arrival[], field: string): Kept | undefined {
  return messages
    .map(({ body }) => at(body, 'params', field) ?? at(body, 'params', '_meta', `${META}/${field}`))
    .find((value) => value !== undefined);
}

function agentName(arrivals: readonly Arrival[]): string {
  return arrivals.map(({ headers }) => headers['user-agent']).find((agent) => agent !== undefined) ?? '?';
}

function eraOf(messages: readonly Arrival[]): ClientReport['era'] {
  const modern = messages.some(
    ({ body }) => at(body, 'params', '_meta', `${META}/protocolVersion`) !== undefined,
  );
  const legacy = messages.some(({ body }) => at(body, 'method') === 'initialize');
  if (modern && legacy) return 'both';
  if (modern) return 'modern';
  return legacy ? 'legacy' : null;
}

function revisionsOf(messages: readonly Arrival[]): readonly string[] {
  const named = messages.flatMap(({ headers, body }) => [
    headers['mcp-protocol-version'],
    at(body, 'params', 'protocolVersion'),
    at(body, 'params', '_meta', `${META}/protocolVersion`),
  ]);
  return [...new Set(named.filter((revision) => typeof revision === 'string'))].sort();
}

function walkOf(arrivals: readonly Arrival[]): readonly string[] {
  return arrivals
    .filter((each) => !toEndpoint(each) || each.answer.status === 401)
    .map(({ method, path, answer }) => `${method} ${path} ${answer.status}`);
}

/** The same request again, after it was refused. */
function retriesIn(arrivals: readonly Arrival[]): number {
  const refused = new Set<string>();
  let retries = 0;
  for (const { method, path, body, answer } of arrivals) {
    const key = JSON.stringify([method, path, at(body, 'method') ?? at(body, 'grant_type') ?? null]);
    if (refused.has(key)) retries += 1;
    if (answer.status >= 400) refused.add(key);
    else refused.delete(key);
  }
  return retries;
}
