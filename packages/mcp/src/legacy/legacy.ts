import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../caller.ts';
import { idOf, sendJson, sendRefusal, sendResponse } from '../http-answers.ts';
import { isJsonObject } from '../json.ts';
import type { LegacyEra, LegacyOptions } from '../legacy-era.ts';
import { startsInteraction } from '../methods/interactive.ts';
import { withoutFaults } from '../methods/method-table.ts';
import { ErrorCode } from '../methods/outcome.ts';
import { capabilitiesOf, type Handler, logs } from '../server-object.ts';
import { Dialogue } from './dialogue.ts';
import { clientOf, dialogueExchange } from './dialogue-exchange.ts';
import { legacyAnswer, plainRead } from './direct.ts';
import { legacyExchange } from './exchange.ts';
import { settingLevel } from './log-level.ts';
import { sessionNamedBy, sessionNotFound } from './session-lookup.ts';
import { type Session, SessionStore } from './session-store.ts';
import { sessionStreams } from './session-stream.ts';
import { rememberingList, subscribe, unsubscribe } from './subscriptions.ts';

/** Revisions 2025-03-26 to 2025-11-25: a session, opened with `initialize`, with one stream of its own. */
export function legacyEra<P>(options: LegacyOptions<P>): LegacyEra<P> {
  const { application, methods, hub, limits, onFault } = options;
  const { randomness, monotonicNow, repository } = options;
  const store = new SessionStore<P>({ limits, randomness, monotonicNow, repository, onFault });
  const capabilities = capabilitiesOf(application);
  const isInteractive = startsInteraction(application);
  const { resources } = application;
  const replayLimit = limits.replay;
  const other = sessionStreams({ store, hub, resources, replayLimit });

  function handlersFor(session: Session<P>, caller: Caller<P>): Map<string, Handler> {
    const { principal } = caller;
    const handlers = new Map<string, Handler>(
      [...methods].map(([name, method]) => [name, (params, exchange) => method(principal, params, exchange)]),
    );
    const list = methods.get('resources/list');
    if (application.resources === undefined || list === undefined) return handlers;
    const subscribing = withoutFaults(
      subscribe(application.resources, store, session, limits.urisPerStream),
      onFault,
    );
    const unsubscribing = withoutFaults(unsubscribe(store, session), onFault);
    const listing = withoutFaults(rememberingList(list, store, session), onFault);
    handlers.set('resources/list', (params, exchange) => listing(principal, params, exchange));
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
    const now = (await resources?.history?.mark(caller.principal)) ?? null;
    const session = await store.open(caller, negotiatedVersion, now);
    if (session !== undefined) {
      const client = application.interactive && clientOf(message, negotiatedVersion);
      session.dialogue = client && new Dialogue(client);
      return sendResponse(res, response, { 'mcp-session-id': session.id });
    }
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
      const lookup = await sessionNamedBy(req, store, caller);
      if (lookup.kind === 'refused') {
        sendRefusal(res, idOf(message), lookup.refusal);
        return;
      }
      const { session } = lookup;
      const read = options.direct ? plainRead(req.headers, message) : undefined;
      const method = methods.get('resources/read');
      if (read !== undefined && method !== undefined) {
        const outcome = await method(caller.principal, read.params);
        return sendJson(res, 200, legacyAnswer(read.id, outcome), { 'mcp-session-id': session.id });
      }
      const handlers = handlersFor(session, caller);
      const { dialogue } = session;
      if (dialogue === undefined) {
        // A session that outlived its process knows nothing of what its client can be asked.
        if (isInteractive(message)) return sendRefusal(res, idOf(message), sessionNotFound);
      } else {
        dialogue.hear(message);
        if (isInteractive(message)) {
          const headers = { 'mcp-session-id': session.id };
          const stateCodec = options.codecFor(caller);
          const call = { application, capabilities, handlers, stateCodec, dialogue, headers };
          return dialogueExchange(req, res, message, call);
        }
      }
      if (logs(application)) {
        const setting = withoutFaults(settingLevel(store, session), onFault);
        handlers.set('logging/setLevel', (params) => setting(caller.principal, params));
      }
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
