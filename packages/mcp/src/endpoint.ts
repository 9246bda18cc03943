import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  isJsonContentType,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { McpApplication } from './application.ts';
import type { Caller } from './caller.ts';
import { idOf, sendRefusal } from './http-answers.ts';
import type { ListenHub } from './hub/listen-hub.ts';
import { isJsonObject } from './json.ts';
import { legacyEra } from './legacy/legacy.ts';
import { methodTable } from './methods/method-table.ts';
import { ErrorCode, internalError, type RpcError } from './methods/outcome.ts';
import { modernEra } from './modern/modern.ts';
import type { Randomness } from './randomness.ts';

export interface EndpointLimits {
  /** Resources that one stream or session may subscribe to. */
  readonly urisPerStream: number;
  /** Legacy sessions in total, and of one (sub, clientId). The least recently used one without a stream gives way. */
  readonly sessions: number;
  readonly sessionsPerOwner: number;
  /** A session without a stream and without a request for so long is forgotten. */
  readonly sessionIdleMs: number;
}

export interface EndpointOptions<P> {
  readonly application: McpApplication<P>;
  readonly hub: ListenHub<P>;
  /** Draws session ids and event ids. */
  readonly randomness: Randomness;
  /** Milliseconds of a clock that never goes back; measures how long sessions are idle. */
  readonly monotonicNow: () => number;
  /** Told of every exception that a client is not told of. */
  readonly onFault: (error: unknown) => void;
  readonly limits?: Partial<EndpointLimits>;
}

export interface Endpoint<P> {
  /**
   * Answers one request at the MCP path. The application has authenticated it, checked Origin and Host, and read
   * the body within its limit. Resolves when the answer is written, or when a stream is open.
   */
  handle(
    req: IncomingMessage,
    res: ServerResponse,
    body: Buffer | undefined,
    caller: Caller<P>,
  ): Promise<void>;
  /** Ends every stream in good order. New ones are refused from then on. */
  closeAll(): Promise<void>;
  /** Open legacy sessions, for operators. */
  readonly sessions: number;
}

const defaultLimits: EndpointLimits = {
  urisPerStream: 1_024,
  sessions: 1_024,
  sessionsPerOwner: 64,
  sessionIdleMs: 30 * 60_000,
};

/** An MCP endpoint over node:http that serves revision 2026-07-28 and those before it at one path. */
export function createEndpoint<P>(options: EndpointOptions<P>): Endpoint<P> {
  const { application, hub, onFault } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const methods = methodTable(application, onFault);
  const modern = modernEra({ application, methods, hub, urisPerStream: limits.urisPerStream, onFault });
  const legacy = legacyEra({ ...options, methods, limits });

  async function route(
    req: IncomingMessage,
    res: ServerResponse,
    body: Buffer | undefined,
    caller: Caller<P>,
  ) {
    if (req.method !== 'POST') return legacy.other(req, res, caller);
    if (!isJsonContentType(req.headers['content-type'])) {
      const message = 'Unsupported Media Type: Content-Type must be application/json';
      return sendRefusal(res, null, { status: 415, error: { code: ErrorCode.serverError, message } });
    }
    const message = parsed(body);
    const problem = message === undefined ? unparseable : (misplaced(message) ?? contradiction(req, message));
    if (problem !== undefined) return sendRefusal(res, idOf(message), { status: 400, error: problem });
    if (await modern.tryDirectly(req, res, message, caller)) return;
    switch (eraOf(req, message)) {
      case 'modern':
        return modern.answer(req, res, message, caller);
      case 'legacy':
        return legacy.post(req, res, message, caller);
    }
  }

  return {
    async handle(req, res, body, caller) {
      try {
        await route(req, res, body, caller);
      } catch (error) {
        onFault(error);
        if (res.headersSent) res.destroy();
        else sendRefusal(res, null, { status: 500, error: internalError });
      }
    },
    closeAll: () => hub.close(),
    get sessions() {
      return legacy.sessions;
    },
  };
}

/** The era that a message belongs to, by the SDK's rule. What the rule rejects, the modern era answers. */
function eraOf(req: IncomingMessage, message: unknown): 'modern' | 'legacy' {
  const version = headerOf(req, 'mcp-protocol-version');
  const method = headerOf(req, 'mcp-method');
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    ...(version !== undefined && { protocolVersionHeader: version }),
    ...(method !== undefined && { mcpMethodHeader: method }),
    body: message,
  });
  return outcome.kind === 'legacy' ? 'legacy' : 'modern';
}

function headerOf(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' ? value : undefined;
}

const unparseable: RpcError = {
  code: ErrorCode.parseError,
  message: 'Parse error: the body is not JSON in UTF-8; send one JSON-RPC 2.0 message as the body',
};

/** The JSON value in the body; undefined, which JSON cannot express, when there is none. */
function parsed(body: Buffer | undefined): unknown {
  if (body === undefined || !isUtf8(body)) return undefined;
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** A `_meta` beside `params` fails in ways that look like the server's fault: say where it belongs. */
function misplaced(message: unknown): RpcError | undefined {
  if (!isJsonObject(message) || !('_meta' in message)) return undefined;
  return {
    code: ErrorCode.invalidRequest,
    message:
      'Invalid Request: _meta stands at the top level of the message; move it into params, as {"params":{"_meta":{…}}}',
  };
}

/** A header that names one revision and a `_meta` that names another is refused before anything else is judged. */
function contradiction(req: IncomingMessage, message: unknown): RpcError | undefined {
  const header = headerOf(req, 'mcp-protocol-version');
  if (header === undefined || !isJsonObject(message) || !isJsonObject(message.params)) return undefined;
  const { _meta: meta } = message.params;
  const named = isJsonObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
  if (typeof named !== 'string' || named === header) return undefined;
  return {
    code: ErrorCode.headerMismatch,
    message: `Header mismatch: MCP-Protocol-Version says ${header}, params._meta says ${named}; send the same revision in both`,
    data: { mismatch: { header, body: named } },
  };
}
