import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpApplication } from '../application.ts';
import type { Caller } from '../caller.ts';
import { idOf, sendResponse, sendStream } from '../http-answers.ts';
import type { ListenHub } from '../hub/listen-hub.ts';
import { isJsonObject } from '../json.ts';
import { startsInteraction } from '../methods/interactive.ts';
import type { MethodTable } from '../methods/method-table.ts';
import type { CodecFor } from '../open-exchange.ts';
import { directAnswers } from './direct.ts';
import { eventsExtension } from './events/events.ts';
import { type ListenRequest, parseListenRequest, serveListen } from './listen.ts';
import { mirroredSchemas } from './mirrored-arguments.ts';
import { sdkExchange } from './sdk-exchange.ts';
import { wellFormedRequests } from './well-formed.ts';

export interface ModernEra<P> {
  /** Answers a request of a regular form without a server object; false when it is for `answer` to judge. */
  tryDirectly(
    req: IncomingMessage,
    res: ServerResponse,
    message: unknown,
    caller: Caller<P>,
  ): Promise<boolean>;
  /** Answers any message, the wrong ones included. */
  answer(req: IncomingMessage, res: ServerResponse, message: unknown, caller: Caller<P>): Promise<void>;
}

/** Protocol revision 2026-07-28: no session, each request complete in itself. */
export function modernEra<P>(server: {
  readonly application: McpApplication<P>;
  readonly methods: MethodTable<P>;
  readonly hub: ListenHub<P>;
  readonly urisPerStream: number;
  readonly replayLimit: number;
  readonly codecFor: CodecFor;
  readonly onFault: (error: unknown) => void;
}): ModernEra<P> {
  const { application, methods, onFault } = server;
  const wellFormed = wellFormedRequests();
  const isInteractive = startsInteraction(application);
  const mirrored = mirroredSchemas(application);
  const answerDirectly = directAnswers<P>(application);
  const events = eventsExtension(server);
  const exchange = sdkExchange(application, methods, events, server.codecFor);

  return {
    async tryDirectly(req, res, message, caller) {
      const request = wellFormed(req.headers, message);
      if (request === undefined) return false;
      if (request.method === 'subscriptions/listen') {
        const listen = parseListenRequest(request.id, request.params);
        if (listen === undefined) return false;
        await serveListen(server, listen, caller, res);
        return true;
      }
      const method = methods.get(request.method);
      if (method === undefined || isInteractive(message)) return false;
      if (request.method === 'tools/call' && mirrored.has(String(request.params.name))) return false;
      await answerDirectly(res, request, method, caller.principal);
      return true;
    },

    async answer(req, res, message, caller) {
      const response = await exchange(req, message, caller);
      if (isEventStream(response)) {
        if (isInteractive(message)) return sendStream(res, response);
        // The SDK found a subscription in order and opened a stream of its own. That one knows nothing of
        // authorization, so it never reaches the client.
        await response.body?.cancel();
        const listen = listenRequestOf(message);
        if (listen === undefined) throw new Error('the MCP SDK accepted a subscription that is not one');
        return serveListen(server, listen, caller, res);
      }
      if (await events.openStream(message, response, caller, res)) return;
      if (response.status >= 500) onFault(new Error(`the MCP SDK answered ${response.status}`));
      await sendResponse(res, response);
    },
  };
}

function isEventStream(response: Response): boolean {
  return response.headers.get('content-type') === 'text/event-stream';
}

function listenRequestOf(message: unknown): ListenRequest | undefined {
  const id = idOf(message);
  if (id === null || !isJsonObject(message) || !isJsonObject(message.params)) return undefined;
  return parseListenRequest(id, message.params);
}
