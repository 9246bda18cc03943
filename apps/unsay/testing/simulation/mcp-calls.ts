import type { Answer, Exchange } from './network.ts';

/** A caller in one era, as its requests name it. */
export interface McpCaller {
  readonly who: string;
  readonly era: 'modern' | 'legacy';
  readonly token: string;
  /** The legacy session; null where there is none. */
  readonly session: string | null;
}

type Params = Readonly<Record<string, unknown>>;

const MODERN = '2026-07-28';
const LEGACY = '2025-11-25';
const CLIENT = { name: 'simulated', version: '1' };
const ENVELOPE = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': {},
  'io.modelcontextprotocol/clientInfo': CLIENT,
};

/** What a call gave: a result, an error of the method, a refusal of the transport, or nothing at all. */
export type McpOutcome =
  | { readonly kind: 'result'; readonly result: Params; readonly session: string | null }
  | { readonly kind: 'error'; readonly code: number }
  | { readonly kind: 'refused'; readonly status: number }
  | { readonly kind: 'nothing' };

/** The request of a method as the caller's era spells it. */
export function mcpExchange(
  { who, era, token, session }: McpCaller,
  method: string,
  params: Params,
): Exchange {
  const name = params.uri ?? params.name;
  const modern = era === 'modern';
  return {
    who,
    method: 'POST',
    path: '/mcp',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(modern && { 'mcp-protocol-version': MODERN, 'mcp-method': method }),
      ...(modern && typeof name === 'string' && { 'mcp-name': name }),
      ...(!modern && method !== 'initialize' && { 'mcp-protocol-version': LEGACY }),
      ...(session !== null && method !== 'initialize' && { 'mcp-session-id': session }),
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: '1',
      method,
      params: modern ? { ...params, _meta: ENVELOPE } : params,
    }),
  };
}

/** The request for a legacy session's own stream, which goes on after an event, or begins anew for null. */
export function sessionStreamExchange(
  { who, token, session }: McpCaller,
  lastEventId: string | null,
): Exchange {
  return {
    who,
    method: 'GET',
    path: '/mcp',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'text/event-stream',
      'mcp-protocol-version': LEGACY,
      'mcp-session-id': session ?? '',
      ...(lastEventId !== null && { 'last-event-id': lastEventId }),
    },
    body: '',
  };
}

/** The parameters of `initialize`. */
export const INITIALIZE: Params = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT };

/** Reads the answer to a call. */
export function readOutcome(answer: Answer | null): McpOutcome {
  if (answer === null) return { kind: 'nothing' };
  if (answer.status !== 200) return { kind: 'refused', status: answer.status };
  const message = JSON.parse(answer.body) as { result?: Params; error?: { code: number } };
  if (message.result === undefined) return { kind: 'error', code: message.error?.code ?? 0 };
  return { kind: 'result', result: message.result, session: answer.headers.get('mcp-session-id') ?? null };
}
