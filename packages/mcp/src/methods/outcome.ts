import type { JsonObject } from '../json.ts';

export interface RpcError {
  readonly code: number;
  readonly message: string;
  readonly data?: JsonObject;
}

/** JSON-RPC 2.0 error codes, and the ones that MCP adds. */
export const ErrorCode = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Transport errors that MCP gives no number of their own. */
  serverError: -32000,
  sessionNotFound: -32001,
  headerMismatch: -32020,
} as const;

/** What one method answers, before an era writes it down. */
export type MethodOutcome =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly error: RpcError };

/** Answers one method for one principal. `params` is what the client sent, unchecked. */
export type Method<P> = (principal: P, params: JsonObject) => Promise<MethodOutcome>;

export function invalidParams(message: string, data?: JsonObject): MethodOutcome {
  const error = { code: ErrorCode.invalidParams, message, ...(data !== undefined && { data }) };
  return { kind: 'error', error };
}

/** The one answer for a resource that is forbidden, absent or malformed. `uri` is the text that was asked for. */
export function resourceNotFound(uri: string): MethodOutcome {
  return invalidParams(`Resource not found: ${uri}`, { uri });
}

/** All that a client is told of a fault. */
export const internalError: RpcError = { code: ErrorCode.internalError, message: 'Internal error' };
