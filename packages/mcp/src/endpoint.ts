import { isUtf8 } from 'node:buffer';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  classifyInboundRequest,
  isJsonContentType,
  PROTOCOL_VERSION_META_KEY,
} from '@modelcontextprotocol/server';
import type { McpApplication } from './application.ts';
import type { Caller } from './caller.ts';
import { idOf, type Refusal, sendRefusal } from './http-answers.ts';
import type { ListenHub } from './hub/listen-hub.ts';
import { isJsonObject } from './json.ts';
import { legacyEra } from './legacy/legacy.ts';
import { methodTable } from './methods/method-table.ts';
import { ErrorCode, internalError, type RpcError } from './methods/outcome.ts';
import { modernEra } from './modern/modern.ts';
import { type ObservedAnswer, type ObserveMessage, observedMessage } from './observed-message.ts';
import { stateCodecs } from './open-exchange.ts';
import type { Randomness } from './randomness.ts';
import { noRepository, type SessionRepository } from './session-repository.ts';

export interface EndpointLimits {
  /** Resources that one stream or session may subscribe to. */
  readonly urisPerStream: number;
  /** Legacy sessions in total, and of one (sub, clientId). The least recently used one without a stream gives way. */
  readonly sessions: number;
  readonly sessionsPerOwner: number;
  /** A session without a stream and without a request for so long is forgotten. */
  readonly sessionIdleMs: number;
  /** Changes that one client which comes back is told of one by one. */
  readonly replay: number;
}

export interface EndpointOptions<P> {
  readonly application: McpApplication<P>;
  readonly hub: ListenHub<P>;
  /** Draws session ids, event ids and the key of the state that interactive methods have signed. */
  readonly randomness: Randomness;
  /** Milliseconds of a clock that never goes back; measures how long sessions are idle. */
  readonly monotonicNow: () => number;
  /** Told of every exception that a client is not told of. */
  readonly onFault: (error: unknown) => void;
  readonly limits?: Partial<EndpointLimits>;
  /** Where legacy sessions are kept; by default they end with the process. */
  readonly sessions?: SessionRepository;
  /** Told of every request, for counts, logs and traces. It decides nothing. */
  readonly observe?: ObserveMessage;
  /** False has the SDK answer every request, for a test that compares its answers with the direct ones. */
  readonly direct?: boolean;
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
  replay: 2_048,
};

/** An MCP endpoint over node:http that serves revision 2026-07-28 and those before it at one path. */
export function createEndpoint<P>(options: EndpointOptions<P>): Endpoint<P> {
  const { application, hub, onFault, observe, direct = true } = options;
  const { sessions: repository = noRepository } = options;
  const limits = { ...defaultLimits, ...options.limits };
  const methods = methodTable(application, onFault);
  const codecFor = stateCodecs(application, options.randomness);
  const { urisPerStream } = limits;
  const replayLimit = limits.replay;
  const modern = modernEra({ application, methods, hub, urisPerStream, replayLimit, codecFor, onFault });
  const legacy = legacyEra({ ...options, methods, limits, direct, codecFor, repository });

  async function route(
    req: IncomingMessage,
    res: ServerResponse,
    message: unknown,
    caller: Caller<P>,
  ): Promise<ObservedAnswer['era']> {
    if (req.method !== 'POST') {
      await legacy.other(req, res, caller);
      return 'legacy';
    }
    const refusal = refusalOf(req, message);
    if (refusal !== undefined) {
      sendRefusal(res, idOf(message), refusal);
      return 'none';
    }
    if (direct && (await modern.tryDirectly(req, res, message, caller))) return 'modern';
    const era = eraOf(req, message);
    if (era === 'modern') await modern.answer(req, res, message, caller);
    else await legacy.post(req, res, message, caller);
    return era;
  }

  async function answered(
    req: IncomingMessage,
    res: ServerResponse,
    message: unknown,
    caller: Caller<P>,
  ): Promise<ObservedAnswer> {
    try {
      const era = await route(req, res, message, caller);
      return { era, status: res.statusCode };
    } catch (error) {
      onFault(error);
      if (res.headersSent) res.destroy();
      else sendRefusal(res, null, { status: 500, error: internalError });
      return { era: 'none', status: 500 };
    }
  }

  return {
    async handle(req, res, body, caller) {
      const message = isJsonContentType(req.headers['content-type']) ? parsed(body) : undefined;
      const answer = () => answered(req, res, message, caller);
      if (hub.isTelling) await hub.told();
      await (observe === undefined ? answer() : observe(observedMessage(req, message), answer));
    },
    closeAll: () => hub.close(),
    get sessions() {
      return legacy.sessions;
    },
  };
}

/** The era that a message belongs to, by the SDK's rule. What the rule rejects, the modern era answers. */
function eraOf(req: IncomingMessage, message: unknown): 'modern' | 'legacy' {
  const method = headerOf(req, 'mcp-method');
  let version = headerOf(req, 'mcp-protocol-version');
  // The newer revision has no sessions: who names one, and names that revision in a header alone, is an older client.
  const isInSession = req.headers['mcp-session-id'] !== undefined;
  if (isInSession && version === '2026-07-28' && revisionIn(message) === undefined) version = undefined;
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

const LONGEST_ID_BYTES = 1_024;

const unparseable: RpcError = {
  code: ErrorCode.parseError,
  message: 'Parse error: the body is not JSON in UTF-8; send one JSON-RPC 2.0 message as the body',
};

/** Why a body is refused before anyone asks which era it belongs to; undefined when it is not. */
function refusalOf(req: IncomingMessage, message: unknown): Refusal | undefined {
  if (!isJsonContentType(req.headers['content-type'])) {
    const problem = 'Unsupported Media Type: Content-Type must be application/json';
    return { status: 415, error: { code: ErrorCode.serverError, message: problem } };
  }
  const error =
    message === undefined
      ? unparseable
      : (misplaced(message) ?? unusableId(message) ?? contradiction(req, message));
  return error && { status: 400, error };
}

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

/**
 * The id of a request that opens a stream is in each of its frames, for as long as it is open: it may not be large.
 * A number that JSON readers round would come back as the id of another request.
 */
function unusableId(message: unknown): RpcError | undefined {
  if (!isJsonObject(message)) return undefined;
  const { id } = message;
  const isRounded = typeof id === 'number' && Math.abs(id) > Number.MAX_SAFE_INTEGER;
  const isLong = typeof id === 'string' && Buffer.byteLength(JSON.stringify(id)) > LONGEST_ID_BYTES;
  if (!isRounded && !isLong) return undefined;
  const problem = isLong
    ? `longer than ${LONGEST_ID_BYTES} bytes of JSON`
    : 'a number that cannot be kept exactly';
  return {
    code: ErrorCode.invalidRequest,
    message: `Invalid Request: the id is ${problem}; send a shorter one`,
  };
}

/** The revision that a message names in its `_meta`. */
function revisionIn(message: unknown): string | undefined {
  if (!isJsonObject(message) || !isJsonObject(message.params)) return undefined;
  const { _meta: meta } = message.params;
  const named = isJsonObject(meta) ? meta[PROTOCOL_VERSION_META_KEY] : undefined;
  return typeof named === 'string' ? named : undefined;
}

/** A header that names one revision and a `_meta` that names another is refused before anything else is judged. */
function contradiction(req: IncomingMessage, message: unknown): RpcError | undefined {
  const header = headerOf(req, 'mcp-protocol-version');
  if (header === undefined) return undefined;
  const named = revisionIn(message);
  if (named === undefined || named === header) return undefined;
  return {
    code: ErrorCode.headerMismatch,
    message: `Header mismatch: MCP-Protocol-Version says ${header}, params._meta says ${named}; send the same revision in both`,
    data: { mismatch: { header, body: named } },
  };
}
