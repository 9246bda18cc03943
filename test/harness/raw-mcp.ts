import type { Era } from './era-client.ts';
import { EventStream } from './event-stream.ts';

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';

/** Sends bytes or a message to the MCP endpoint with the headers that a client must send. */
export function post(
  url: string,
  message: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: typeof message === 'string' ? message : JSON.stringify(message),
  });
}

/** A modern request, as `post` takes it. */
export function modernMessage(method: string, params: Readonly<Record<string, unknown>>, id = 1): object {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'contract-test', version: '0' },
  };
  return { jsonrpc: '2.0', id, method, params: { ...params, _meta: meta } };
}

/** The headers of a modern request. */
export function modernHeaders(token: string, method: string, name?: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
}

/** The message that opens a legacy session. */
export function initialize(): object {
  const clientInfo = { name: 'contract-test', version: '0' };
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo };
  return { jsonrpc: '2.0', id: 0, method: 'initialize', params };
}

/** Opens an event stream that follows these URIs, and waits until it does. */
export function followRaw(
  era: Era,
  url: string,
  token: string,
  uris: readonly string[],
): Promise<EventStream> {
  return era === 'modern' ? listen(url, token, uris) : followInSession(url, token, uris);
}

async function listen(url: string, token: string, uris: readonly string[]): Promise<EventStream> {
  const filter = { resourceSubscriptions: uris, resourcesListChanged: true };
  const stream = await EventStream.open(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...modernHeaders(token, 'subscriptions/listen'),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(modernMessage('subscriptions/listen', { notifications: filter }, 7)),
  });
  await stream.next();
  return stream;
}

async function followInSession(url: string, token: string, uris: readonly string[]): Promise<EventStream> {
  const session = await openSession(url, token);
  await session.send('resources/list', {});
  for (const uri of uris) await session.send('resources/subscribe', { uri });
  return session.stream();
}

/** A legacy session, by hand. */
export interface RawSession {
  /** Sends a request as the holder of the session's token, or of another one. */
  send(method: string, params: object, token?: string): Promise<Response>;
  /** Opens the session's event stream and waits until it is open. */
  stream(token?: string): Promise<EventStream>;
  /** Opens it again, saying which event was the last one that was read. */
  resume(lastEventId: string | undefined, token?: string): Promise<EventStream>;
  /** The same session at the address that the server has now. */
  at(url: string): RawSession;
}

/** Opens a legacy session. */
export async function openSession(url: string, token: string): Promise<RawSession> {
  const opened = await post(url, initialize(), { authorization: `Bearer ${token}` });
  const headersFor = (holder: string): Record<string, string> => ({
    authorization: `Bearer ${holder}`,
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': LEGACY,
  });
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headersFor(token));
  const sessionAt = (address: string): RawSession => ({
    send: (method, params, holder = token) =>
      post(address, { jsonrpc: '2.0', id: 1, method, params }, headersFor(holder)),
    stream: (holder = token) => sessionAt(address).resume(undefined, holder),
    async resume(lastEventId, holder = token) {
      const resuming = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
      const headers = { ...headersFor(holder), ...resuming, accept: 'text/event-stream' };
      const stream = await EventStream.open(`${address}/mcp`, { headers });
      await stream.next();
      return stream;
    },
    at: sessionAt,
  });
  return sessionAt(url);
}
