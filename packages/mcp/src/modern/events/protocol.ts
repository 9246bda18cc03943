import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { EventMethods, EventOutcome, EventSubscription } from '../../event-methods.ts';
import { isJsonObject, type JsonObject } from '../../json.ts';
import { ErrorCode, type RpcError } from '../../methods/outcome.ts';

/** The Events extension, SEP-3415. Its webhooks are not offered. */
export const EVENTS_EXTENSION = 'io.modelcontextprotocol/events';

export const EVENTS_STREAM = 'events/stream';

/** The errors that SEP-3415 adds, under "Error Handling". */
export const EventErrorCode = {
  notFound: -32023,
  forbidden: -32024,
} as const;

/** One subscription as `events/poll` and `events/stream` ask for it. */
export interface EventRequest {
  readonly subscription: EventSubscription;
  /** Null starts from now. */
  readonly cursor: string | null;
  readonly maxAgeMs: number | null;
  readonly maxEvents: number | null;
}

/** Reads the parameters of a request; gives an error when they name no type or disagree with its schema. */
export type EventRequestReader = (
  params: JsonObject,
) => Promise<
  | { readonly kind: 'request'; readonly request: EventRequest }
  | { readonly kind: 'error'; readonly error: RpcError }
>;

export function eventRequestReader({ types }: Pick<EventMethods<never>, 'types'>): EventRequestReader {
  // Compiled at the first request, since most servers that start are asked for something else first.
  const schemas = new Map<string, ReturnType<typeof fromJsonSchema>>();
  const known = new Map(types.map((type) => [type.name, type]));
  return async (params) => {
    const { name, arguments: args = {}, cursor = null, maxAgeMs = null, maxEvents = null } = params;
    if (typeof name !== 'string') return bad('name must be a string');
    if (!isJsonObject(args)) return bad('arguments must be an object');
    if (cursor !== null && typeof cursor !== 'string') return bad('cursor must be a string or null');
    if (!isCountOrNull(maxAgeMs, 0)) return bad('maxAgeMs must be a whole number of milliseconds');
    if (!isCountOrNull(maxEvents, 1)) return bad('maxEvents must be a whole number above 0');
    const type = known.get(name);
    if (type === undefined) return { kind: 'error', error: unknownEvent };
    const schema = schemas.get(name) ?? fromJsonSchema({ ...type.inputSchema });
    schemas.set(name, schema);
    const { issues } = await schema['~standard'].validate(args);
    if (issues !== undefined)
      return bad(`Invalid arguments for ${name}: ${issues.map(({ message }) => message).join('; ')}`);
    return { kind: 'request', request: { subscription: { name, args }, cursor, maxAgeMs, maxEvents } };
  };
}

/** What a client is told of a subscription that cannot be followed; null of one that can. */
export function problemWith(outcome: EventOutcome): RpcError | null {
  switch (outcome.kind) {
    case 'batch':
      return null;
    case 'bad_cursor':
      return invalid('Invalid cursor: send null to start from now');
    case 'bad_argument':
      return invalid(outcome.message);
  }
}

const unknownEvent: RpcError = {
  code: EventErrorCode.notFound,
  message: 'NotFound',
  data: { kind: 'event' },
};

function invalid(message: string): RpcError {
  return { code: ErrorCode.invalidParams, message };
}

function bad(message: string): { readonly kind: 'error'; readonly error: RpcError } {
  return { kind: 'error', error: invalid(message) };
}

function isCountOrNull(value: unknown, least: number): value is number | null {
  return value === null || (Number.isSafeInteger(value) && (value as number) >= least);
}
