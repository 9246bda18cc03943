import { type Ask, AskError } from './ask.ts';

const REVISION = '2026-07-28';
const UNAUTHORISED = 401;
const META = {
  'io.modelcontextprotocol/protocolVersion': REVISION,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': { name: 'unsay-device-card', version: '0.1.0' },
};

/** What the network said besides its answers. */
export interface NetworkAsk {
  readonly ask: Ask;
  /** Whether the server has refused the token. */
  unauthorised(): boolean;
  /** The server's clock minus this page's, in milliseconds. */
  clockAhead(): number;
}

/** Asks this origin's `/mcp`: each question one request of the 2026-07-28 revision, which needs no session. */
export function networkAsk(token: string, send: typeof fetch, now: () => number): NetworkAsk {
  let refused = false;
  let ahead = 0;
  let lastId = 0;

  async function ask(method: string, params: Readonly<Record<string, unknown>>): Promise<unknown> {
    lastId += 1;
    const named = params.uri ?? params.name;
    const response = await send('/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': method,
        ...(typeof named === 'string' && { 'mcp-name': named }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params: { ...params, _meta: META } }),
      cache: 'no-store',
    });
    if (response.status === UNAUTHORISED) {
      refused = true;
      throw new AskError(null, 'the server refused the token');
    }
    const date = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(date)) ahead = date - now();
    return resultOf(await response.json());
  }

  return { ask, unauthorised: () => refused, clockAhead: () => ahead };
}

function resultOf(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) throw new AskError(null, 'the answer is not one');
  const error: unknown = Reflect.get(answer, 'error');
  if (typeof error === 'object' && error !== null)
    throw new AskError(Number(Reflect.get(error, 'code')), String(Reflect.get(error, 'message')));
  return Reflect.get(answer, 'result');
}
