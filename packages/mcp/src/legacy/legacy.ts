import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpApplication } from '../application.ts';
import type { Caller } from '../caller.ts';
import { idOf, sendJson, sendRefusal, sendResponse } from '../http-answers.ts';
import type { ListenHub } from '../hub/listen-hub.ts';
import { isJsonObject } from '../json.ts';
import { type MethodTable, withoutFaults } from '../methods/method-table.ts';
import { ErrorCode } from '../methods/outcome.ts';
import type { Randomness } from '../randomness.ts';
import { capabilitiesOf, type Handler } from '../server-object.ts';
import { legacyAnswer, plainRead } from './direct.ts';
import { legacyExchange } from './exchange.ts';
import { sessionNamedBy } from './session-lookup.ts';
import { type Session, type SessionLimits, SessionStore } from './session-store.ts';
import { sessionStreams } from './session-stream.ts';
import { rememberingList, subscribe, unsubscribe } from './subscriptions.ts';

export interface LegacyEra<P> {
  /** Answers a POST; `message` is its parsed body. */
  post(req: IncomingMessage, res: ServerResponse, message: unknown, caller: Caller<P>): Promise<void>;
  /** Answers every other HTTP method. */
  other(req: IncomingMessage, res: ServerResponse, caller: Caller<P>): void;
  readonly sessions: number;
}

export interface LegacyOptions<P> {
  readonly application: McpApplication<P>;
  readonly methods: MethodTable<P>;
  readonly hub: ListenHub<P>;
  readonly limits: SessionLimits & { readonly urisPerStream: number };
  readonly randomness: Randomness;
  readonly monotonicNow: () => number;
  readonly onFault: (error: unknown) => void;
}

/** Revisions 2025-03-26 to 2025-11-25: a session, opened with `initialize`, with one stream of its own. */
export function legacyEra<P>(options: LegacyOptions<P>): LegacyEra<P> {
  const { application, methods, hub, limits, onFault } = options;
  const store = new SessionStore<P>(limits, options.randomness, options.monotonicNow);
  const capabilities = capabilitiesOf(application);
  const other = sessionStreams({ store, hub, offered: application.resources !== undefined });

  function handlersFor(session: Session<P>, caller: Caller<P>): Map<string, Handler> {
    const { principal } = caller;
    const handlers = new Map<string, Handler>(
      [...methods].map(([name, method]) => [name, (params) => method(principal, params)]),
    );
    const list = methods.get('resources/list');
    if (application.resources === undefined || list === undefined) return handlers;
    const subscribing = withoutFaults(
      subscribe(application.resources, session, limits.urisPerStream),
      onFault,
    );
    const unsubscribing = unsubscribe(session);
    handlers.set('resources/list', rememberingList(list, session, caller));
    handlers.set('resources/subscribe', (params) => subscribing(principal, params));
    handlers.set('resources/unsubscribe', (params) => unsubscribing(principal, params));
    return handlers;
  }

  async function initialize(
    req: IncomingMessage,
    res: ServerResponse,
    message: unknown,
    caller: Caller<P>,
  ): Promise<void> {
    const { response, negotiatedVersion } = await legacyExchange(req, message, application, capabilities, []);
    if (negotiatedVersion === undefined) return sendResponse(res, response);
    const session = store.open(caller, negotiatedVersion);
    if (session !== undefined) return sendResponse(res, response, { 'mcp-session-id': session.id });
    const problem = 'Too many sessions with open streams: end one of yours before you open another';
    sendRefusal(res, idOf(message), {
      status: 429,
      error: { code: ErrorCode.serverError, message: problem },
      headers: { 'retry-after': '1' },
    });
  }

  return {
    async post(req, res, message, caller) {
      if (isInitialize(message)) return initialize(req, res, message, caller);
      const lookup = sessionNamedBy(req, store, caller);
      if (lookup.kind === 'refused') {
        sendRefusal(res, idOf(message), lookup.refusal);
        return;
      }
      const { session } = lookup;
      const read = plainRead(req.headers, message);
      const method = methods.get('resources/read');
      if (read !== undefined && method !== undefined) {
        const outcome = await method(caller.principal, read.params);
        return sendJson(res, 200, legacyAnswer(read.id, outcome), { 'mcp-session-id': session.id });
      }
      const handlers = handlersFor(session, caller);
      const { response } = await legacyExchange(req, message, application, capabilities, handlers);
      await sendResponse(res, response, { 'mcp-session-id': session.id });
    },
    other,
    get sessions() {
      return store.size;
    },
  };
}

function isInitialize(message: unknown): boolean {
  const only: unknown = Array.isArray(message) && message.length === 1 ? message[0] : message;
  return isJsonObject(only) && only.method === 'initialize' && 'id' in only;
}
