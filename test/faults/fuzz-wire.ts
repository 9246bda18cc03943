import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { expect } from 'vitest';
import { initialize, modernHeaders, modernMessage } from '../harness/raw-mcp.ts';
import type { RunningServer } from '../harness/running-server.ts';

/** One whole HTTP answer. */
export interface Answer {
  readonly status: number;
  /** By name in small letters; a name that came twice is refused. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection on which a test writes whatever it likes. What comes back is read as strictly as HTTP allows. */
export class Wire {
  readonly socket: Socket;
  /** Resolves when the connection is over, however it ended. */
  readonly over: Promise<void>;
  #unread = Buffer.alloc(0);
  #isOver = false;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('error', () => undefined);
    socket.on('data', (chunk: Buffer) => {
      this.#unread = Buffer.concat([this.#unread, chunk]);
      this.#wake();
    });
    socket.on('end', () => this.#end());
    this.over = once(socket, 'close').then(() => this.#end());
  }

  static async open(url: string): Promise<Wire> {
    const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true });
    const wire = new Wire(socket);
    await Promise.race([once(socket, 'connect'), wire.over]);
    return wire;
  }

  send(bytes: string | Uint8Array): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return this;
  }

  /** The next whole answer; null when there is none any more. Throws at what is no answer of HTTP/1.1. */
  async answer(): Promise<Answer | null> {
    for (;;) {
      const found = answerIn(this.#unread);
      if (found !== null) {
        this.#unread = this.#unread.subarray(found.length);
        return found.answer;
      }
      if (this.#isOver) {
        if (this.#unread.length > 0) throw new Error(`half an answer: ${this.#unread.toString('latin1')}`);
        return null;
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Says that nothing more will be sent, and gives every answer that is left. */
  async rest(): Promise<Answer[]> {
    this.socket.end();
    const answers: Answer[] = [];
    for (let next = await this.answer(); next !== null; next = await this.answer()) answers.push(next);
    this.socket.destroy();
    return answers;
  }

  #end(): void {
    this.#isOver = true;
    this.#wake();
  }
}

function answerIn(bytes: Buffer): { readonly answer: Answer; readonly length: number } | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return null;
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 ([1-5]\d\d) [\x20-\x7e]*$/.exec(first)?.[1]);
  if (Number.isNaN(status)) throw new Error(`no status line: ${first}`);
  const headers = new Map<string, string>();
  for (const line of lines) {
    const [, name = '', value = ''] = /^([\w-]+): ([\x20-\x7e]*)$/.exec(line) ?? [];
    if (name === '' || headers.has(name.toLowerCase())) throw new Error(`a wrong header: ${line}`);
    headers.set(name.toLowerCase(), value);
  }
  const body = bytes.subarray(headEnd + 4);
  if (status < 200 || status === 204 || status === 304)
    return { answer: { status, headers, body: '' }, length: headEnd + 4 };
  if (headers.get('transfer-encoding') === 'chunked') {
    const opening = openingOf(body);
    return opening === null ? null : { answer: { status, headers, body: opening }, length: bytes.length };
  }
  const length = Number(headers.get('content-length') ?? 'none');
  if (!Number.isSafeInteger(length)) throw new Error(`an answer without a length: ${first}`);
  if (body.length < length) return null;
  const words = body.subarray(0, length).toString('utf8');
  return { answer: { status, headers, body: words }, length: headEnd + 4 + length };
}

/** The JSON of the first event of a stream: all that is read of one. Nothing else is answered in chunks. */
function openingOf(body: Buffer): string | null {
  const text = body.toString('utf8');
  const [, size = '', chunk = ''] = /^([0-9a-f]+)\r\n(.*?\n\n)\r\n/s.exec(text) ?? [];
  if (chunk === '') return null;
  const [, json = null] = /^event: message\ndata: ([^\n]*)\n\n$/.exec(chunk) ?? [];
  if (json === null || Number.parseInt(size, 16) !== Buffer.byteLength(chunk))
    throw new Error(`a wrong chunk: ${text}`);
  return json;
}

/** A request as bytes; its length is said unless a header already speaks of it. */
export function requestBytes(
  start: string,
  headers: readonly string[] | Readonly<Record<string, string>>,
  body = '',
): Buffer {
  const lines = Array.isArray(headers)
    ? headers
    : Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const isFramed = lines.some((line: string) => /^(content-length|transfer-encoding)\b/i.test(line));
  const length = isFramed || body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  return Buffer.concat([
    Buffer.from([start, 'host: localhost', ...lines, ...length, '', ''].join('\r\n'), 'latin1'),
    Buffer.from(body),
  ]);
}

const JSON_HEADERS = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** A modern request as bytes. */
export function modernBytes(token: string, method: string, params: Record<string, unknown>, id = 1): Buffer {
  const { uri, name } = params;
  const about = typeof uri === 'string' ? uri : typeof name === 'string' ? name : undefined;
  const headers = { ...modernHeaders(token, method, about), ...JSON_HEADERS };
  return requestBytes('POST /mcp HTTP/1.1', headers, JSON.stringify(modernMessage(method, params, id)));
}

/** A request of a legacy session as bytes. */
export function legacyBytes(
  token: string,
  session: string,
  method: string,
  params: object,
  id: unknown = 1,
): Buffer {
  const headers = {
    ...JSON_HEADERS,
    authorization: `Bearer ${token}`,
    'mcp-session-id': session,
    'mcp-protocol-version': '2025-11-25',
  };
  return requestBytes('POST /mcp HTTP/1.1', headers, JSON.stringify({ jsonrpc: '2.0', id, method, params }));
}

/** Opens a legacy session and gives its id. */
export async function sessionOf(url: string, token: string): Promise<string> {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${token}` };
  const opened = await ask(url, requestBytes('POST /mcp HTTP/1.1', headers, JSON.stringify(initialize())));
  const id = opened.headers.get('mcp-session-id');
  if (id === undefined) throw new Error(opened.body);
  return id;
}

/**
 * Sends bytes on a connection of their own and gives all answers. The server drops whoever says too early that
 * nothing follows, so that is said when it has answered two requests that came later.
 */
export async function exchange(url: string, bytes: string | Uint8Array): Promise<Answer[]> {
  const wire = (await Wire.open(url)).send(bytes);
  for (let round = 0; round < 2; round += 1) await (await fetch(`${url}/readyz`)).text();
  return wire.rest();
}

/** Sends one request on a connection of its own, and gives its answer. */
export async function ask(url: string, bytes: Uint8Array): Promise<Answer> {
  const wire = await Wire.open(url);
  const answer = await wire.send(bytes).answer();
  wire.socket.destroy();
  if (answer === null) throw new Error('not answered');
  return answer;
}

/** The server is up, has not restarted, and had no fault. */
export async function expectUnharmed(server: RunningServer): Promise<void> {
  const [health, ready] = await Promise.all(
    ['/healthz', '/readyz'].map(async (path) => {
      const answer = await fetch(`${server.url}${path}`);
      return [answer.status, await answer.text()];
    }),
  );
  expect([health, ready, server.faults()]).toEqual([[200, 'ok'], [200, 'ok'], '']);
}
