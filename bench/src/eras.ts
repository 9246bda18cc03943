import { type Connection, connect } from './connection.ts';
import { create, type Subscriber } from './correction.ts';

/** Where a subscriber finds its fact, and what it may do there. */
export interface Subscription {
  readonly url: URL;
  readonly uri: string;
  readonly token: string;
  readonly secret: string;
}

const CLIENT = { name: 'unsay-bench', version: '0.1.0' };
const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

/** A client of the modern era: one POST whose answer stays open, and reads that are complete in themselves. */
export async function subscribeModern({ url, uri, token, secret }: Subscription): Promise<Subscriber> {
  const { writer, reader, listener, close } = connectAll(url);
  const created = await create(writer, uri, secret);
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const request = (id: number, method: string, params: object, more: Record<string, string> = {}) => ({
    path: '/mcp',
    headers: {
      ...headersOf(token),
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      ...more,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } }),
  });
  const filter = { notifications: { resourceSubscriptions: [uri] } };
  const stream = await listener.listen(request(0, 'subscriptions/listen', filter));
  await stream.next(acknowledges(uri));
  let id = 0;
  return {
    uri,
    writer,
    secret,
    stream,
    created,
    read() {
      id += 1;
      return reader.send(request(id, 'resources/read', { uri }, { 'mcp-name': uri }));
    },
    close,
  };
}

/** A client of the legacy era: a session, a subscription in it, and its standalone stream. */
export async function subscribeLegacy({ url, uri, token, secret }: Subscription): Promise<Subscriber> {
  const { writer, reader, listener, close } = connectAll(url);
  const created = await create(writer, uri, secret);
  const opened = await reader.send({
    path: '/mcp',
    headers: headersOf(token),
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT },
    }),
  });
  const session = opened.headers['mcp-session-id'];
  if (typeof session !== 'string')
    throw new Error(`initialize opened no session: ${opened.status} ${opened.text}`);
  const headers = { ...headersOf(token), 'mcp-protocol-version': LEGACY, 'mcp-session-id': session };
  const request = (message: object) => ({
    path: '/mcp',
    headers,
    body: JSON.stringify({ jsonrpc: '2.0', ...message }),
  });
  await reader.send(request({ method: 'notifications/initialized' }));
  const stream = await listener.listen({ method: 'GET', path: '/mcp', headers });
  const subscribed = await reader.send(request({ id: 1, method: 'resources/subscribe', params: { uri } }));
  if (!subscribed.text.includes('"result"')) throw new Error(`no subscription: ${subscribed.text}`);
  let id = 1;
  return {
    uri,
    writer,
    secret,
    stream,
    created,
    read() {
      id += 1;
      return reader.send(request({ id, method: 'resources/read', params: { uri } }));
    },
    close,
  };
}

/** The writer, the reader and the stream are three parties, each with a connection of its own. */
function connectAll(url: URL): Readonly<Record<'writer' | 'reader' | 'listener', Connection>> & {
  close(): void;
} {
  const writer = connect(url);
  const reader = connect(url);
  const listener = connect(url);
  const close = (): void => {
    for (const connection of [writer, reader, listener]) connection.close();
  };
  return { writer, reader, listener, close };
}

function headersOf(token: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
}

function acknowledges(uri: string): (message: unknown) => boolean {
  return (message) => {
    const text = JSON.stringify(message);
    if (!text.includes('"notifications/subscriptions/acknowledged"')) return false;
    if (text.includes(JSON.stringify(uri))) return true;
    throw new Error(`the server does not let this token listen to ${uri}`);
  };
}
