import type { Era } from './trace.ts';
import type { WireRequest, WireStream } from './wire.ts';
import type { World } from './world.ts';

/** What one person keeps between its requests in one world. */
export interface Asker {
  readonly world: World;
  readonly token: string | null;
  /** Where it stands; each is what the server last gave it. */
  readonly kept: {
    session: string | null;
    listCursor: string | null;
    changesCursor: string | null;
    lastEvent: string | null;
    /** Of the Events extension; missing until there was one. */
    eventsCursor?: string;
  };
  readonly streams: WireStream[];
}

type Params = Readonly<Record<string, unknown>>;

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const CLIENT = { name: 'observer', version: '1' };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': CLIENT,
};

/** The request of one MCP method as its era spells it. `meta` is for the envelope that only one era has. */
export function mcpRequest(
  asker: Asker,
  era: Era,
  method: string,
  params: Params,
  { id = '1', meta = {} }: { readonly id?: string; readonly meta?: Params } = {},
): WireRequest {
  const name = params.uri ?? params.name;
  const own = era === 'modern' ? { ...params, _meta: { ...ENVELOPE, ...meta } } : params;
  const spoken = /^[\x20-\x7e]*$/;
  return {
    method: 'POST',
    path: '/mcp',
    headers: {
      ...bearer(asker),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(era === 'modern' && {
        'mcp-protocol-version': MODERN,
        'mcp-method': method,
        ...(typeof name === 'string' && spoken.test(name) && { 'mcp-name': name }),
      }),
      ...(era === 'legacy' && method !== 'initialize' && sessionHeaders(asker)),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: own }),
  };
}

/** Calls a method and gives the answer's bytes. A legacy caller without a session opens one first. */
export async function call(
  asker: Asker,
  era: Era,
  method: string,
  params: Params,
  meta: Params = {},
): Promise<string> {
  const opening = era === 'legacy' && asker.kept.session === null ? await initialize(asker) : '';
  return opening + (await asker.world.wire.request(mcpRequest(asker, era, method, params, { meta })));
}

/** Opens a legacy session, in place of the one that was there. */
export async function initialize(asker: Asker): Promise<string> {
  const params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT };
  const answer = await asker.world.wire.request(mcpRequest(asker, 'legacy', 'initialize', params));
  asker.kept.session = /\r\nmcp-session-id: (\S+)\r\n/i.exec(answer)?.[1] ?? null;
  return answer;
}

/** Any other request, with the asker's token when it has one. */
export function plain(
  asker: Asker,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = '',
): Promise<string> {
  const request = { method, path, headers: { ...bearer(asker), ...headers }, body };
  return asker.world.wire.request(request);
}

/** Opens a stream, which stays the asker's until it leaves. */
export async function openStream(asker: Asker, request: WireRequest): Promise<void> {
  asker.streams.push(await asker.world.wire.open(request));
}

/** The request for a session's own stream, which goes on from the last event that came with an id. */
export function sessionStream(asker: Asker): WireRequest {
  const { lastEvent } = asker.kept;
  const resumed = lastEvent === null ? {} : { 'last-event-id': lastEvent };
  const headers = { ...bearer(asker), accept: 'text/event-stream', ...sessionHeaders(asker), ...resumed };
  return { method: 'GET', path: '/mcp', headers };
}

/**
 * The request for a stream of corrections: of these URIs from now on, or of all from where the asker stands. A
 * cursor is good for one subscription only, so the asker keeps those of the wider one.
 */
export function eventStream(asker: Asker, uris: readonly string[] | null): WireRequest {
  const { eventsCursor = null } = asker.kept;
  const params =
    uris === null ? { cursor: eventsCursor, arguments: {} } : { cursor: null, arguments: { uris } };
  const id = `${uris === null ? 'all' : 'some'} events ${asker.streams.length}`;
  return mcpRequest(asker, 'modern', 'events/stream', { name: 'correction', ...params }, { id });
}

/** The last cursor that the frames of a stream of all corrections gave; undefined when there is none. */
export function eventsCursorOf(frames: string): string | undefined {
  const cursors = frames.matchAll(/"cursor":"([^"]+)"[^\n]*subscriptionId":"all events /g);
  return [...cursors].at(-1)?.[1];
}

/** A string member of an answer's JSON body, wherever it stands; null when there is none. */
export function memberOf(answer: string, name: string): string | null {
  return new RegExp(`"${name}":"([^"\\\\]*)"`).exec(answer)?.[1] ?? null;
}

function sessionHeaders({ kept }: Asker): Readonly<Record<string, string>> {
  return {
    'mcp-protocol-version': LEGACY,
    ...(kept.session !== null && { 'mcp-session-id': kept.session }),
  };
}

function bearer({ token }: Asker): Readonly<Record<string, string>> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}
