import { type Arrival, at, type Kept } from './arrival.ts';

interface Oddity {
  /** In words that need no explanation. */
  readonly words: string;
  readonly shows: (arrivals: readonly Arrival[]) => boolean;
}

const META = 'io.modelcontextprotocol';

/** Ways of clients that made trouble somewhere, each recognised in what one client did. */
const ODDITIES: readonly Oddity[] = [
  {
    words: 'says one revision in the header and another in _meta',
    shows: some(({ headers, body }) => {
      const inMeta = at(body, 'params', '_meta', `${META}/protocolVersion`);
      const inHeader = headers['mcp-protocol-version'];
      return inMeta !== undefined && inHeader !== undefined && inMeta !== inHeader;
    }),
  },
  {
    words: 'leaves the revision out of requests after initialize',
    shows: some(
      (arrival) =>
        arrival.headers['mcp-session-id'] !== undefined &&
        arrival.headers['mcp-protocol-version'] === undefined,
    ),
  },
  {
    words: 'leaves the session id out after initialize',
    shows: (arrivals) => {
      const opened = arrivals.findIndex((each) => isMethod(each, 'initialize') && each.answer.status === 200);
      const after = opened < 0 ? [] : arrivals.slice(opened + 1);
      return after.some(
        (each) =>
          toEndpoint(each) &&
          each.headers['mcp-session-id'] === undefined &&
          at(each.body, 'method') !== undefined &&
          !isMethod(each, 'initialize') &&
          at(each.body, 'params', '_meta', `${META}/protocolVersion`) === undefined,
      );
    },
  },
  {
    words: 'sends _meta beside params instead of inside',
    shows: some(({ body }) => at(body, '_meta') !== undefined),
  },
  {
    words: 'adds a slash to the endpoint’s address',
    shows: some(
      ({ path, query, body }) =>
        path.endsWith('/mcp/') || [query.resource, at(body, 'resource')].includes(SLASHED),
    ),
  },
  {
    words: 'stops at the challenge',
    shows: (arrivals) => {
      const challenged = arrivals.findIndex(({ answer }) => answer.status === 401);
      return challenged >= 0 && arrivals.slice(challenged + 1).every(({ answer }) => answer.status === 401);
    },
  },
  {
    words: 'registers redirects of several kinds at once',
    shows: some(({ body }) => new Set(listOf(at(body, 'redirect_uris'))).size > 1),
  },
  {
    words: 'comes back to another loopback port than it registered',
    shows: some(({ notes }) => notes.includes('the redirect differs from the registered one in its port')),
  },
  {
    words: 'comes back to an address that it did not register',
    shows: some(({ notes }) => notes.includes('the redirect was not registered')),
  },
  {
    words: 'sends one refresh token twice',
    shows: some(({ notes }) => notes.includes('a refresh token came twice')),
  },
  {
    words: 'offers a revision that is not the newest of its era',
    shows: some((arrival) => {
      const offered = at(arrival.body, 'params', 'protocolVersion');
      return isMethod(arrival, 'initialize') && offered !== '2025-11-25';
    }),
  },
  {
    words: 'does not accept event streams',
    shows: some(
      (each) =>
        toEndpoint(each) && each.method === 'POST' && !/event-stream|\*\/\*/.test(each.headers.accept ?? ''),
    ),
  },
  {
    words: 'leaves its session open when it goes',
    shows: (arrivals) =>
      arrivals.some(({ headers }) => headers['mcp-session-id'] !== undefined) &&
      !arrivals.some(({ method }) => method === 'DELETE'),
  },
];

const SLASHED = '<this resource with a slash>';

/** What is odd about one client's arrivals, in words. */
export function odditiesOf(arrivals: readonly Arrival[]): readonly string[] {
  return ODDITIES.filter(({ shows }) => shows(arrivals)).map(({ words }) => words);
}

/** Whether a message of this method arrived. */
export function isMethod({ body }: Arrival, method: string): boolean {
  return at(body, 'method') === method;
}

/** Whether it came to the MCP endpoint. */
export function toEndpoint({ path }: Arrival): boolean {
  return path === '/mcp' || path === '/mcp/';
}

function some(shows: (arrival: Arrival) => boolean): Oddity['shows'] {
  return (arrivals) => arrivals.some(shows);
}

function listOf(value: Kept | undefined): readonly Kept[] {
  return Array.isArray(value) ? value : [];
}
