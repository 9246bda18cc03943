import { EventStream } from '../harness/event-stream.ts';
import type { Kept, Step, Transcript } from './transcript-file.ts';

/** Where a step was answered otherwise than it was written down. */
export interface Difference {
  readonly step: string;
  readonly expected: unknown;
  readonly got: unknown;
}

export interface Replayed {
  /** Steps that were sent. */
  readonly sent: number;
  readonly differences: readonly Difference[];
}

export interface ReplayTarget {
  readonly url: string;
  readonly token: string;
}

/** Fields that a server has or has not by what it serves, not by how it speaks. */
const FREE_FIELDS = ['nextCursor', '_meta', 'isError', 'structuredContent', 'instructions'];

/** Headers that say only that something was there are made up anew, or left out. */
const GIVEN = '<given>';

/**
 * Sends what a client sent, with the placeholders filled in, and compares the answers: status, sort of body, and
 * whether it is a result (with which fields) or an error (with which code). Steps of the walk to a token are the
 * probe's own, and are left out; of the metadata, what counts is that a client can read it.
 */
export async function replay(transcript: Transcript, target: ReplayTarget): Promise<Replayed> {
  const player = new Player(transcript.phase === 'open', target);
  const differences: Difference[] = [];
  let sent = 0;
  try {
    for (const [i, step] of transcript.steps.entries()) {
      const difference = await player.play(step);
      if (difference === 'left out') continue;
      sent += 1;
      if (difference !== null) differences.push({ step: `${i + 1}: ${nameOf(step)}`, ...difference });
    }
  } finally {
    player.end();
  }
  return { sent, differences };
}

type Outcome = Omit<Difference, 'step'> | null | 'left out';

class Player {
  readonly #alwaysKnown: boolean;
  readonly #target: ReplayTarget;
  readonly #streams: EventStream[] = [];
  #session: string | undefined;
  #cursor = 'no cursor was given';

  constructor(alwaysKnown: boolean, target: ReplayTarget) {
    this.#alwaysKnown = alwaysKnown;
    this.#target = target;
  }

  async play(step: Step): Promise<Outcome> {
    if (step.path.includes('/.well-known/')) return this.#discover(step);
    if (step.path !== '/mcp' && step.path !== '/mcp/') return 'left out';
    const headers = this.#headers(step);
    const body = step.body === undefined ? null : JSON.stringify(this.#filled(step.body));
    const stream = await EventStream.open(`${this.#target.url}${step.path}`, {
      method: step.method,
      headers,
      body,
    });
    this.#streams.push(stream);
    const { response } = stream;
    this.#session = response.headers.get('mcp-session-id') ?? this.#session;
    const got = { status: response.status, ...(await this.#bodyOf(stream, step)) };
    if (got.status === 401 && step.answer.status === 401)
      return compare(challengeOf(response), { names: 'metadata', error: false });
    return compare(got, step.answer);
  }

  end(): void {
    for (const stream of this.#streams) stream.close();
  }

  /** What was there at the probe is here; what was not may be, but it is never a page (a client would parse it). */
  async #discover({ method, path, answer }: Step): Promise<Outcome> {
    const response = await fetch(`${this.#target.url}${path}`, { method });
    const isJson = (response.headers.get('content-type') ?? '').includes('json');
    await response.text();
    const got = { status: response.status, isJson };
    const allowed = answer.status === 200 ? [200] : [200, 404];
    return isJson && allowed.includes(response.status) ? null : { expected: { allowed, isJson: true }, got };
  }

  #headers({ headers }: Step): Record<string, string> {
    const kept = Object.entries(headers).filter(([, value]) => !value.startsWith('<'));
    const sent = Object.fromEntries(kept);
    if (headers['mcp-name'] !== undefined) sent['mcp-name'] = String(this.#filled(headers['mcp-name']));
    if (headers['mcp-session-id'] === GIVEN)
      sent['mcp-session-id'] = this.#session ?? 'no session was opened';
    if (headers.authorization !== undefined || this.#alwaysKnown)
      sent.authorization = `Bearer ${this.#target.token}`;
    return sent;
  }

  #filled(value: Kept): Kept {
    if (value === '<cursor>') return this.#cursor;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((each: Kept) => this.#filled(each));
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, this.#filled(inner)]));
  }

  async #bodyOf(stream: EventStream, { answer }: Step): Promise<Omit<Step['answer'], 'status'>> {
    const { response } = stream;
    const type = response.headers.get('content-type') ?? '';
    if (type.startsWith('text/event-stream')) {
      const message = answer.outcome === 'none' ? undefined : await stream.message();
      return { body: 'stream', ...this.#messageOf(message) };
    }
    await stream.over;
    const { raw } = stream;
    const body =
      raw === '' ? 'none' : type.includes('json') ? 'json' : type.includes('html') ? 'html' : 'text';
    return { body, ...this.#messageOf(body === 'json' ? JSON.parse(raw) : undefined) };
  }

  #messageOf(message: unknown): Pick<Step['answer'], 'outcome' | 'code' | 'fields'> {
    const { result, error, method } = (message ?? {}) as {
      readonly result?: Readonly<Record<string, unknown>>;
      readonly error?: { readonly code: number };
      readonly method?: string;
    };
    if (error !== undefined) return { outcome: 'error', code: error.code, fields: [] };
    if (result === undefined)
      return { outcome: method === undefined ? 'none' : 'message', code: null, fields: [] };
    if (typeof result.nextCursor === 'string') this.#cursor = result.nextCursor;
    return { outcome: 'result', code: null, fields: Object.keys(result).sort() };
  }
}

function compare(got: unknown, expected: unknown): Omit<Difference, 'step'> | null {
  const [one, other] = [essence(got), essence(expected)];
  return JSON.stringify(one) === JSON.stringify(other) ? null : { expected: other, got: one };
}

function essence(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('fields' in value)) return value;
  const { status, body, outcome, code, fields } = value as Step['answer'];
  return { status, body, outcome, code, fields: fields.filter((field) => !FREE_FIELDS.includes(field)) };
}

/** A challenge must lead on, and must not say that a credential was bad where none was sent. */
function challengeOf(response: Response): unknown {
  const header = response.headers.get('www-authenticate') ?? '';
  const names = header.includes('resource_metadata=') ? 'metadata' : 'nothing';
  return { names, error: header.includes('error=') };
}

function nameOf({ method, path, body }: Step): string {
  const called =
    typeof body === 'object' && body !== null && 'method' in body ? ` ${String(body.method)}` : '';
  return `${method} ${path}${called}`;
}
