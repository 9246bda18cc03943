import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCResponse,
  type RequestId,
  type ServerCapabilities,
} from '@modelcontextprotocol/server';
import type { McpApplication } from '../application.ts';
import { idOf, KEEP_ALIVE_MS, sendRefusal, sendResponse, sendStream } from '../http-answers.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { ErrorCode } from '../methods/outcome.ts';
import type { StateCodec } from '../open-exchange.ts';
import { type Handler, serverObject } from '../server-object.ts';
import type { Dialogue, OpenCall } from './dialogue.ts';
import { LEGACY_VERSIONS, LegacyTransport, requestFor } from './exchange.ts';

/** A transport over which the server object asks the client of a session that another one opened. */
class DialogueTransport extends LegacyTransport implements OpenCall {
  readonly #dialogue: Dialogue;
  readonly #requestIds: ReadonlySet<unknown>;
  #heard: (() => void) | undefined;

  constructor(dialogue: Dialogue, message: unknown) {
    super({ keepAliveMs: KEEP_ALIVE_MS });
    this.#dialogue = dialogue;
    const items: unknown[] = Array.isArray(message) ? message : [message];
    this.#requestIds = new Set(items.map((item) => (isJsonObject(item) ? item.id : undefined)));
  }

  /** Has the server object answer a request that the client sent to an earlier one; the answer is dropped. */
  async repeat({ method, params }: Dialogue['opening'][number]): Promise<void> {
    const heard = Promise.withResolvers<void>();
    this.#heard = heard.resolve;
    this.onmessage?.({ jsonrpc: '2.0', id: 'opening', method, params: { ...params } });
    await heard.promise;
    this.#heard = undefined;
  }

  override async send(message: JSONRPCMessage, options?: { relatedRequestId?: RequestId }): Promise<void> {
    if (this.#heard !== undefined && isJSONRPCResponse(message)) return this.#heard();
    return super.send(this.#dialogue.numbered(this, message), options);
  }

  isOf(requestId: unknown): boolean {
    return requestId !== undefined && this.#requestIds.has(requestId);
  }

  answer(answer: JSONRPCResponse): void {
    this.onmessage?.(answer);
  }

  end(): void {
    void this.close();
  }
}

/**
 * Has the SDK answer a POST that starts an interactive tool or prompt. The answer is a stream: questions to the
 * client go out on it, and their answers come in through the dialogue.
 */
export async function dialogueExchange<P>(
  req: IncomingMessage,
  res: ServerResponse,
  message: unknown,
  call: {
    readonly application: McpApplication<P>;
    readonly capabilities: ServerCapabilities;
    readonly handlers: Iterable<readonly [string, Handler]>;
    readonly stateCodec: StateCodec | undefined;
    readonly dialogue: Dialogue;
    readonly headers: Readonly<Record<string, string>>;
  },
): Promise<void> {
  const { dialogue, headers } = call;
  const transport = new DialogueTransport(dialogue, message);
  if (!dialogue.add(transport)) {
    const problem = 'Too many open calls: wait for an answer before you call again';
    return sendRefusal(res, idOf(message), {
      status: 429,
      error: { code: ErrorCode.serverError, message: problem },
      headers: { 'retry-after': '1' },
    });
  }
  const server = serverObject(call.application, call.handlers, {
    capabilities: call.capabilities,
    supportedProtocolVersions: LEGACY_VERSIONS,
    stateCodec: call.stateCodec,
  });
  try {
    await server.connect(transport);
    for (const opening of dialogue.opening) await transport.repeat(opening);
    const response = await transport.handleRequest(requestFor(req), { parsedBody: message });
    if (response.headers.get('content-type') === 'text/event-stream') {
      await sendStream(res, response, headers);
    } else {
      await sendResponse(res, response, headers);
    }
  } finally {
    dialogue.remove(transport);
    await server.close();
  }
}

/** The parameters of `initialize` with the revision that was agreed on; undefined when they are not readable. */
export function clientOf(message: unknown, protocolVersion: string): JsonObject | undefined {
  const only: unknown = Array.isArray(message) ? message[0] : message;
  if (!isJsonObject(only) || !isJsonObject(only.params)) return undefined;
  return { ...only.params, protocolVersion };
}
