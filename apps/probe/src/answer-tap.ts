import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Answer } from './arrival.ts';
import { FIELDS } from './vocabulary.ts';

const MOST_BYTES = 262_144;

/**
 * Watches what is written to a response. `done` is called once: when the answer is whole, when the connection ends,
 * or, for a stream, when its first event is out.
 */
export function tapAnswer(res: ServerResponse, done: (answer: Answer) => void): void {
  let text = '';
  let reported = false;
  const report = (): void => {
    if (reported) return;
    reported = true;
    done(answerOf(res, text));
  };
  const take = (chunk: unknown): void => {
    if (reported || text.length >= MOST_BYTES) return;
    if (typeof chunk === 'string') text += chunk;
    else if (chunk instanceof Uint8Array) text += Buffer.from(chunk).toString('utf8');
    if (isStream(res) && text.includes('\n\n')) report();
  };
  // Headers that are handed to it directly are not to be read from the response afterwards.
  const writeHead = res.writeHead.bind(res);
  res.writeHead = ((status: number, headers: OutgoingHttpHeaders = {}) => {
    for (const [name, value] of Object.entries(headers)) if (value !== undefined) res.setHeader(name, value);
    return writeHead(status);
  }) as typeof res.writeHead;
  const write = res.write.bind(res);
  const end = res.end.bind(res);
  res.write = ((chunk: unknown, ...rest: unknown[]) => {
    take(chunk);
    return (write as (...args: unknown[]) => boolean)(chunk, ...rest);
  }) as typeof res.write;
  res.end = ((chunk: unknown, ...rest: unknown[]) => {
    take(chunk);
    return (end as (...args: unknown[]) => ServerResponse)(chunk, ...rest);
  }) as typeof res.end;
  res.once('close', report);
  res.once('finish', report);
}

function isStream(res: ServerResponse): boolean {
  return String(res.getHeader('content-type') ?? '').startsWith('text/event-stream');
}

function answerOf(res: ServerResponse, text: string): Answer {
  const type = String(res.getHeader('content-type') ?? '');
  const body = bodyKind(type, text);
  const message = body === 'json' ? parsed(text) : body === 'stream' ? messageIn(text) : undefined;
  return { status: res.statusCode, body, ...outcomeOf(message) };
}

function bodyKind(type: string, text: string): Answer['body'] {
  if (type.startsWith('text/event-stream')) return 'stream';
  if (text === '') return 'none';
  if (/^application\/([a-z-]+\+)?json/.test(type)) return 'json';
  return type.startsWith('text/html') ? 'html' : 'text';
}

function outcomeOf(message: unknown): Pick<Answer, 'outcome' | 'code' | 'fields'> {
  const nothing = { outcome: 'none', code: null, fields: [] } as const;
  if (typeof message !== 'object' || message === null || !('jsonrpc' in message)) return nothing;
  if ('error' in message) {
    const { code } = message.error as { code?: unknown };
    return { outcome: 'error', code: typeof code === 'number' ? code : null, fields: [] };
  }
  if (!('result' in message)) return { ...nothing, outcome: 'message' };
  const fields = Object.keys(message.result as object).filter((field) => FIELDS.has(field));
  return { outcome: 'result', code: null, fields: fields.sort() };
}

/** The message of a stream's first event; undefined where that carries none. */
function messageIn(text: string): unknown {
  for (const event of text.split('\n\n').slice(0, -1)) {
    const data = event
      .split('\n')
      .find((line) => line.startsWith('data: '))
      ?.slice('data: '.length);
    const message = data === undefined ? undefined : parsed(data);
    if (message !== undefined) return message;
  }
  return undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
