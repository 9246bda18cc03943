import type { Exchange, InputRequired } from '../interaction.ts';
import type { JsonObject, JsonValue } from '../json.ts';

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
  unsupportedVersion: -32022,
} as const;

/** What one method answers, before an era writes it down. */
export type MethodOutcome =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly error: RpcError };

/** An exchange that also signs the state which the client is to bring back. */
export interface OpenExchange extends Exchange {
  seal(state: JsonValue): Promise<string>;
}

/**
 * Answers one method for one principal. `params` is what the client sent, unchecked. The exchange is there
 * wherever the SDK answers for an application with interactive methods.
 */
export type Method<P> = (principal: P, params: JsonObject, exchange?: OpenExchange) => Promise<MethodOutcome>;

/** Says what the client has to bring before this call can be answered. */
export async function inputRequired(
  { inputRequests, requestState }: InputRequired,
  exchange: OpenExchange | undefined,
): Promise<MethodOutcome> {
  if (exchange === undefined) throw new Error('a call that cannot speak asked for input');
  return {
    kind: 'result',
    result: {
      resultType: 'input_required',
      inputRequests,
      ...(requestState !== undefined && { requestState: await exchange.seal(requestState) }),
    },
  };
}

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
