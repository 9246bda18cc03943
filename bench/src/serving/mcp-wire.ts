import { createHmac } from 'node:crypto';
import { wireRequest } from './raw-connection.ts';

const MODERN = '2026-07-28';
export const LEGACY = '2025-11-25';
const CLIENT = { name: 'unsay-bench', version: '0.1.0' };
const ACCEPT = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };

/** The headers of a holder of a token; of nobody where there is none. */
export function bearer(token: string | null): Readonly<Record<string, string>> {
  return token === null ? {} : { authorization: `Bearer ${token}` };
}

/** A request of the modern era. */
export function modernRequest(method: string, params: object, token: string | null, name?: string): Buffer {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': MODERN,
    'io.modelcontextprotocol/clientInfo': CLIENT,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = {
    ...ACCEPT,
    ...bearer(token),
    'mcp-protocol-version': MODERN,
    'mcp-method': method,
    ...(name === undefined ? {} : { 'mcp-name': name }),
  };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } });
  return wireRequest('POST', '/mcp', headers, body);
}

/** A request of the older era, in a session where there is one. */
export function legacyRequest(
  method: string,
  params: object,
  token: string | null,
  session: string | null,
): Buffer {
  const headers = { ...ACCEPT, ...bearer(token), ...sessionHeaders(session) };
  return wireRequest('POST', '/mcp', headers, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
}

export const INITIALIZE = { protocolVersion: LEGACY, capabilities: {}, clientInfo: CLIENT };

export function sessionHeaders(session: string | null): Readonly<Record<string, string>> {
  return session === null ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': LEGACY };
}

/** Words whose review was due long ago, so that every reader is told so. */
const STALE = { staleAfter: '2026-01-01T00:00:00.000Z' };

/** A publication by the system writer, past its review date. */
export function writeRequest(uri: string, value: string, secret: string): Buffer {
  const body = JSON.stringify({ uri, value, authorId: 'bench', ...STALE });
  const timestamp = Math.floor(Date.now() / 1000);
  const signature = createHmac('sha256', secret).update(`${timestamp}..${body}`).digest('hex');
  const headers = {
    'content-type': 'application/json',
    'x-unsay-timestamp': String(timestamp),
    'x-unsay-signature': `v1=${signature}`,
  };
  return wireRequest('POST', '/write', headers, body);
}

export function headerOf(answer: Buffer, name: string): string | undefined {
  return new RegExp(`\\r\\n${name}: *([^\\r]+)\\r`, 'i').exec(answer.toString('latin1'))?.[1];
}

export function bodyOf(answer: Buffer): string {
  return answer.subarray(answer.indexOf('\r\n\r\n') + 4).toString('utf8');
}

export function statusOf(answer: Buffer): number {
  return Number(answer.toString('latin1', 9, 12));
}
