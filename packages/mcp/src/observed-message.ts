import type { IncomingMessage } from 'node:http';
import { isJsonObject } from './json.ts';

/** Every method and notification that a client of either era may send. */
const METHODS = [
  'initialize',
  'ping',
  'server/discover',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'prompts/list',
  'prompts/get',
  'tools/list',
  'tools/call',
  'completion/complete',
  'logging/setLevel',
  'events/list',
  'events/poll',
  'events/stream',
  'notifications/initialized',
  'notifications/cancelled',
  'notifications/progress',
  'notifications/roots/list_changed',
] as const;

/**
 * What a message asks for, as a word of a closed list: `batch` for several in one body, `answer` for a reply to
 * something the server asked, `other` for a method that the protocol does not have, `none` for no message at all.
 */
export type ObservedMethod = (typeof METHODS)[number] | 'batch' | 'answer' | 'other' | 'none';

/** A request at the MCP path, for whoever counts, logs or traces. */
export interface ObservedMessage {
  readonly method: ObservedMethod;
  /** `params.uri` as the client sent it. It may name a fact: hash it with a key before it is kept anywhere. */
  readonly uri: string | null;
  /** `params._meta.traceparent`, or else the HTTP header of that name; not checked in any way. */
  readonly traceparent: string | null;
}

/** How it ended: the era that answered, `none` where it was refused before that, and the HTTP status. */
export interface ObservedAnswer {
  readonly era: 'modern' | 'legacy' | 'none';
  readonly status: number;
}

/**
 * Told of every request at the MCP path. It calls `answer` once and resolves when that has resolved, which is
 * when the answer is written or a stream is open.
 */
export type ObserveMessage = (
  message: ObservedMessage,
  answer: () => Promise<ObservedAnswer>,
) => Promise<unknown>;

const known: ReadonlySet<string> = new Set(METHODS);

/** What may be said of a parsed body; undefined stands for none. */
export function observedMessage(req: IncomingMessage, message: unknown): ObservedMessage {
  const params = isJsonObject(message) && isJsonObject(message.params) ? message.params : {};
  const meta = isJsonObject(params._meta) ? params._meta : {};
  return {
    method: methodOf(message),
    uri: textOf(params.uri),
    traceparent: textOf(meta.traceparent) ?? textOf(req.headers.traceparent),
  };
}

function methodOf(message: unknown): ObservedMethod {
  if (message === undefined) return 'none';
  if (Array.isArray(message)) return 'batch';
  if (!isJsonObject(message)) return 'other';
  const { method } = message;
  if (method === undefined && ('result' in message || 'error' in message)) return 'answer';
  return typeof method === 'string' && isKnown(method) ? method : 'other';
}

function isKnown(method: string): method is (typeof METHODS)[number] {
  return known.has(method);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
