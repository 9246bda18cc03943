import type { IncomingHttpHeaders } from 'node:http';
import { isJsonObject, type JsonObject } from '../json.ts';
import type { MethodOutcome } from '../methods/outcome.ts';
import { LEGACY_VERSIONS, withLegacyCode } from './exchange.ts';

/** A read so regular that no rule of the SDK could refuse or alter it. */
export interface PlainRead {
  readonly id: string | number;
  readonly params: JsonObject & { readonly uri: string };
}

/**
 * Recognises a `resources/read` that needs no server object, which is most of what it would cost. Whatever is
 * unusual in any way is left to the SDK, so this can only ever be too strict; a test sends good and bad
 * requests down both roads and compares the answers.
 */
export function plainRead(headers: IncomingHttpHeaders, message: unknown): PlainRead | undefined {
  if (!isJsonObject(message) || Object.keys(message).length !== 4) return undefined;
  const { jsonrpc, id, method, params } = message;
  if (jsonrpc !== '2.0' || method !== 'resources/read' || !isJsonObject(params)) return undefined;
  if (typeof id !== 'string' && (typeof id !== 'number' || !Number.isSafeInteger(id))) return undefined;
  const { uri } = params;
  if (typeof uri !== 'string' || Object.keys(params).length !== 1) return undefined;
  return acceptsBoth(headers.accept) && isServed(headers['mcp-protocol-version'])
    ? { id, params: { uri } }
    : undefined;
}

/** The JSON-RPC message of an outcome, as the SDK writes it. */
export function legacyAnswer(id: string | number, outcome: MethodOutcome): string {
  const answer =
    outcome.kind === 'result'
      ? { result: outcome.result, jsonrpc: '2.0' as const, id }
      : withLegacyCode({ jsonrpc: '2.0', id, error: outcome.error });
  return JSON.stringify(answer);
}

function acceptsBoth(accept: string | undefined): boolean {
  return ['application/json', 'text/event-stream'].every((type) => accept?.includes(type) === true);
}

function isServed(version: string | string[] | undefined): boolean {
  return version === undefined || LEGACY_VERSIONS.includes(String(version));
}
