import { createHmac } from 'node:crypto';
import { connect as openSocket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Era } from '../harness/era-client.ts';
import { initialize, modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import { WRITE_SECRET } from '../harness/running-server.ts';

/** The closed list of codes that a refusal over HTTP may have. A fault of the server is not among them. */
export const CODES: ReadonlySet<string> = new Set([
  'malformed',
  'unsigned',
  'bad_signature',
  'stale_timestamp',
  'replayed',
  'insufficient_scope',
  'origin_refused',
  'not_found',
  'method_not_allowed',
  'store_rejected',
  'head_moved',
  'idempotency_mismatch',
  'body_too_large',
  'unsupported_media_type',
]);

/**
 * The codes with which MCP may refuse; -32000 is the transport's own, for a batch. -32603, an internal error, is
 * not among them.
 */
export const RPC_CODES: ReadonlySet<number> = new Set([
  -32700, -32600, -32601, -32602, -32002, -32020, -32000,
]);

/** A value as a test names it: not all of a megabyte. */
export function shown(value: unknown): string {
  const words = JSON.stringify(value) ?? 'undefined';
  return words.length > 60 ? `${words.slice(0, 40)}… (${words.length})` : words;
}

/** How a write or another request over HTTP was answered. */
export interface Answer {
  readonly status: number;
  /** The problem's code, or null where the request was not refused. */
  readonly code: string | null;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is odd about the frame of a write; whatever it is, it is signed. */
export interface Frame {
  readonly timestamp?: string;
  readonly ifMatch?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

// Each write is signed for another second, counted from one moment: two with the same bytes, sent in two seconds,
// would else be one that is sent again.
const BEGUN = Math.floor(Date.now() / 1000);
let sent = 0;

/** Sends bytes as a signed write, so that nothing but their form can be what is refused. */
export async function write(url: string, body: string | Uint8Array, frame: Frame = {}): Promise<Answer> {
  sent += 1;
  const { timestamp = String(BEGUN - (sent % 200)), ifMatch, headers = {} } = frame;
  const mac = createHmac('sha256', WRITE_SECRET)
    .update(`${timestamp}.${ifMatch ?? ''}.`)
    .update(body);
  const answer = await fetch(`${url}/write`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: {
      'content-type': 'application/json',
      'x-unsay-timestamp': timestamp,
      'x-unsay-signature': `v1=${mac.digest('hex')}`,
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
      ...headers,
    },
  });
  return answered(answer.status, await answer.text());
}

/** Sends a head and a body as they are, and reads the answer. */
export async function sendRaw(url: string, head: readonly string[], body = ''): Promise<Answer> {
  const socket = openSocket(Number(new URL(url).port), '127.0.0.1');
  socket.write(Buffer.from([...head, 'connection: close', '', body].join('\r\n'), 'latin1'));
  const answer = await text(socket);
  const [, status = '0'] = /^HTTP\/1\.1 (\d{3}) /.exec(answer) ?? [];
  return answered(Number(status), answer.slice(answer.indexOf('\r\n\r\n') + 4));
}

function answered(status: number, words: string): Answer {
  const body = JSON.parse(words) as Answer['body'];
  return { status, code: typeof body.code === 'string' ? body.code : null, body };
}

/** The error of an MCP answer. */
export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A refusal over MCP, and the status that it came with. */
export interface RpcRefusal extends RpcError {
  readonly status: number;
}

/** How an MCP request was answered. */
export interface RpcAnswer {
  readonly status: number;
  readonly text: string;
  readonly result: Readonly<Record<string, unknown>> | null;
  readonly error: RpcError | null;
}

/** Asks an MCP endpoint in one era with nothing between: what a client library would not send is sent. */
export interface RawAsker {
  ask(method: string, params: Readonly<Record<string, unknown>>): Promise<RpcAnswer>;
  /** Sends bytes in place of a message. `name` is what the request's headers say that it is about. */
  sendBytes(method: string, bytes: string | Uint8Array, name?: string): Promise<RpcAnswer>;
}

/** Opens one in each era. */
export async function rawAskers(url: string, token: string): Promise<Readonly<Record<Era, RawAsker>>> {
  return {
    modern: await rawAsker('modern', url, token),
    legacy: await rawAsker('legacy', url, token),
  };
}

async function rawAsker(era: Era, url: string, token: string): Promise<RawAsker> {
  const session = era === 'legacy' ? await openSession(url, token) : null;
  const headersFor = (method: string, name: string | undefined): Record<string, string> =>
    session ?? modernHeaders(token, method, name === undefined ? undefined : inHeader(name));
  const sendBytes: RawAsker['sendBytes'] = async (method, bytes, name) => {
    const answer = await fetch(`${url}/mcp`, {
      method: 'POST',
      body: typeof bytes === 'string' ? bytes : new Uint8Array(bytes),
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...headersFor(method, name),
      },
    });
    const words = await answer.text();
    const { result = null, error = null } = JSON.parse(words) as Partial<RpcAnswer>;
    return { status: answer.status, text: words, result, error };
  };
  return {
    sendBytes,
    ask(method, params) {
      const message =
        session === null ? modernMessage(method, params) : { jsonrpc: '2.0', id: 1, method, params };
      const { uri, name } = params;
      const about = typeof uri === 'string' ? uri : typeof name === 'string' ? name : undefined;
      return sendBytes(method, JSON.stringify(message), about);
    },
  };
}

async function openSession(url: string, token: string): Promise<Record<string, string>> {
  const authorization = `Bearer ${token}`;
  const opened = await post(url, initialize(), { authorization });
  const headers = {
    authorization,
    'mcp-session-id': opened.headers.get('mcp-session-id') ?? '',
    'mcp-protocol-version': '2025-11-25',
  };
  await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, headers);
  return headers;
}

// What is not a visible ASCII text stands in a header as base64 (revision 2026-07-28, "Standard headers").
function inHeader(name: string): string {
  if (/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/.test(name) && !name.startsWith('=?')) return name;
  return `=?base64?${Buffer.from(name, 'utf8').toString('base64')}?=`;
}

/** What a reader is told of a fact beside its words. */
export async function metaOf(asker: RawAsker, uri: string): Promise<Readonly<Record<string, unknown>>> {
  const { result } = await asker.ask('resources/read', { uri });
  const { contents = [] } = (result ?? {}) as { contents?: { _meta: Record<string, unknown> }[] };
  const meta = contents[0]?._meta;
  if (meta === undefined) throw new Error(`${uri} has no contents`);
  return meta;
}
