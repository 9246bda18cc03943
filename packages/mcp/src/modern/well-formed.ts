import type { IncomingHttpHeaders } from 'node:http';
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import { isJsonObject, type JsonObject, type JsonValue } from '../json.ts';

export const MODERN_VERSION = '2026-07-28';

/** A request that nothing can be said against, as far as its envelope and headers go. */
export interface WellFormedRequest {
  readonly id: string | number;
  readonly method: string;
  readonly params: JsonObject;
}

/** The methods served without a server object: the parameter that `Mcp-Name` mirrors, and the other one there is. */
const directMethods: ReadonlyMap<string, { readonly named?: string; readonly other?: string }> = new Map([
  ['resources/read', { named: 'uri' }],
  ['resources/list', { other: 'cursor' }],
  ['tools/call', { named: 'name', other: 'arguments' }],
  ['subscriptions/listen', { other: 'notifications' }],
]);

/** Envelopes that the SDK's own schema accepted. One client sends the same one with every request. */
const KNOWN_ENVELOPES = 256;
const LONGEST_KNOWN_ENVELOPE = 2_048;

/**
 * Recognises requests so regular that no rule of the SDK could refuse or alter them. Whatever is unusual in any
 * way is left to the SDK, so this can only ever be too strict; a test sends good and bad requests down both
 * roads and compares the answers.
 */
export function wellFormedRequests(): (
  headers: IncomingHttpHeaders,
  message: unknown,
) => WellFormedRequest | undefined {
  const known = new Set<string>();

  function accepted(message: JsonObject, meta: JsonObject): boolean {
    const envelope = written([meta[CLIENT_CAPABILITIES_META_KEY], meta[CLIENT_INFO_META_KEY]]);
    if (envelope === undefined) return false;
    if (known.has(envelope)) return true;
    if (classifyInboundRequest({ httpMethod: 'POST', body: message }).kind !== 'modern') return false;
    if (known.size >= KNOWN_ENVELOPES) known.clear();
    if (envelope.length <= LONGEST_KNOWN_ENVELOPE) known.add(envelope);
    return true;
  }

  return (headers, message) => {
    if (headers['mcp-protocol-version'] !== MODERN_VERSION || !isJsonObject(message)) return undefined;
    const { jsonrpc, id, method, params } = message;
    if (Object.keys(message).length !== 4 || jsonrpc !== '2.0' || !isRequestId(id)) return undefined;
    if (typeof method !== 'string' || headers['mcp-method'] !== method || !isJsonObject(params))
      return undefined;
    const shape = directMethods.get(method);
    if (shape === undefined) return undefined;
    const { named, other } = shape;
    if (Object.keys(params).some((key) => key !== '_meta' && key !== named && key !== other))
      return undefined;
    if (method === 'tools/call' && params.arguments !== undefined && !isJsonObject(params.arguments))
      return undefined;
    if (named !== undefined && !mirrors(headers['mcp-name'], params[named])) return undefined;
    const { _meta: meta } = params;
    if (!isJsonObject(meta) || !isRegularMeta(meta) || !accepted(message, meta)) return undefined;
    return { id, method, params };
  };
}

/** The value as JSON; undefined when it is nested deeper than the stack, which JSON that was read can be. */
function written(value: unknown): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

function isRequestId(id: JsonValue | undefined): id is string | number {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

/** Equal, and not in the base64 form that a header may take. */
function mirrors(header: string | string[] | undefined, value: JsonValue | undefined): boolean {
  return typeof value === 'string' && header === value && !value.startsWith('=?');
}

function isRegularMeta(meta: JsonObject): boolean {
  if (meta[PROTOCOL_VERSION_META_KEY] !== MODERN_VERSION || LOG_LEVEL_META_KEY in meta) return false;
  const { progressToken } = meta;
  return progressToken === undefined || isRequestId(progressToken);
}
