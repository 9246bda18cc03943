import type { IncomingMessage } from 'node:http';
import {
  type JSONRPCMessage,
  type RequestId,
  type ServerCapabilities,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { McpApplication } from '../application.ts';
import { isJsonObject } from '../json.ts';
import { type Handler, serverObject } from '../server-object.ts';

/** The revisions that open with `initialize`, newest first: the first is offered to a client that names none of them. */
export const LEGACY_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26'];

const RESOURCE_NOT_FOUND = -32002;
const INVALID_PARAMS = -32602;

/** Whether a request of a session names the revision that has none. */
export function namesNewerInSession({ headers }: IncomingMessage): boolean {
  return headers['mcp-session-id'] !== undefined && headers['mcp-protocol-version'] === '2026-07-28';
}

/** Before 2026-07-28 a missing resource has a code of its own, which the SDK no longer writes. */
export class LegacyTransport extends WebStandardStreamableHTTPServerTransport {
  override send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    return super.send(withLegacyCode(message), options);
  }
}

/** The message with the code that a missing resource had before 2026-07-28. */
export function withLegacyCode(message: JSONRPCMessage): JSONRPCMessage {
  if (!('error' in message) || message.error.code !== INVALID_PARAMS) return message;
  const { data } = message.error;
  // Of all errors written here only that of a missing resource names a URI in its data.
  const isMissingResource = typeof data === 'object' && data !== null && 'uri' in data;
  return isMissingResource ? { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } } : message;
}

/**
 * A batch without its cancellations. Each POST has a server object of its own, so one could only cancel a request
 * of the same batch, and the SDK would then wait for that answer for as long as the client stays connected.
 */
function withoutCancellations(message: unknown): unknown {
  if (!Array.isArray(message)) return message;
  const kept = message.filter((item) => !isJsonObject(item) || item.method !== 'notifications/cancelled');
  return kept.length > 0 ? kept : message;
}

/**
 * Has the SDK answer one POST with a server object of its own. Sharing one across a session would be cheaper,
 * but it would pair answers with requests by the client's ids, and two requests of one session may carry tokens
 * of different rights.
 */
export async function legacyExchange<P>(
  req: IncomingMessage,
  message: unknown,
  application: McpApplication<P>,
  capabilities: ServerCapabilities,
  handlers: Iterable<readonly [string, Handler]>,
): Promise<{ readonly response: Response; readonly negotiatedVersion: string | undefined }> {
  const server = serverObject(application, handlers, {
    capabilities,
    supportedProtocolVersions: LEGACY_VERSIONS,
    stateCodec: undefined,
  });
  const transport = new LegacyTransport({ enableJsonResponse: true, keepAliveMs: 0 });
  await server.connect(transport);
  const response = await transport.handleRequest(requestFor(req), {
    parsedBody: withoutCancellations(message),
  });
  const negotiatedVersion = server.getNegotiatedProtocolVersion();
  await server.close();
  return { response, negotiatedVersion };
}

/**
 * The request as the SDK is to see it. No credential is ever handed on. A client that accepts everything, or does not
 * say, accepts both forms of an answer (RFC 9110, section 12.5.1). One that speaks in a session goes on in the revision
 * of that session, though its header names the newer one: hosts that know both send it so.
 */
export function requestFor(req: IncomingMessage): Request {
  const headers = new Headers();
  for (const name of ['accept', 'content-type', 'mcp-protocol-version']) {
    const value = req.headers[name];
    if (typeof value === 'string') headers.set(name, value);
  }
  if (/^$|\*\/\*/.test(headers.get('accept') ?? ''))
    headers.set('accept', 'application/json, text/event-stream');
  if (namesNewerInSession(req)) headers.delete('mcp-protocol-version');
  return new Request('http://mcp.invalid/', { method: 'POST', headers });
}
