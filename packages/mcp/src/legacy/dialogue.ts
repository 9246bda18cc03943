import {
  isJSONRPCNotification,
  isJSONRPCResponse,
  type JSONRPCMessage,
  type JSONRPCResponse,
} from '@modelcontextprotocol/server';
import type { LogLevel } from '../interaction.ts';
import type { JsonObject } from '../json.ts';

/** An open call, whose server object may ask the client something. */
export interface OpenCall {
  /** Whether the client started it with the request of this id. */
  isOf(requestId: unknown): boolean;
  /** Gives the server object the client's answer, under the number that it gave the question. */
  answer(answer: JSONRPCResponse): void;
  /** Ends the call: nobody waits for it any more. */
  end(): void;
}

/** Calls of one session that may be open at once. Each holds a stream and a server object. */
const MOST_CALLS = 16;

/**
 * What a session remembers so that a call can ask its client something while it is open. The client's answer
 * comes in a request of its own, to a server object that numbered its questions as if it were alone: here they
 * are numbered anew, once for the session.
 */
export class Dialogue {
  readonly #client: JsonObject;
  readonly #calls = new Set<OpenCall>();
  readonly #questions = new Map<unknown, { readonly call: OpenCall; readonly id: string | number }>();
  #asked = 0;
  #level: LogLevel | undefined;

  /** `client` is the parameters of `initialize`, with the revision that was agreed on. */
  constructor(client: JsonObject) {
    this.#client = client;
  }

  /** The requests that a server object has to hear before it can speak for this session. */
  get opening(): readonly { readonly method: string; readonly params: JsonObject }[] {
    const level = this.#level;
    return [
      { method: 'initialize', params: this.#client },
      ...(level === undefined ? [] : [{ method: 'logging/setLevel', params: { level } }]),
    ];
  }

  setLevel(level: LogLevel): void {
    this.#level = level;
  }

  /** False when the session has as many open calls as it may. */
  add(call: OpenCall): boolean {
    if (this.#calls.size >= MOST_CALLS) return false;
    this.#calls.add(call);
    return true;
  }

  remove(call: OpenCall): void {
    this.#calls.delete(call);
    for (const [number, question] of this.#questions) {
      if (question.call === call) this.#questions.delete(number);
    }
  }

  /** A message on its way to the client, under the session's number if it is a question or withdraws one. */
  numbered(call: OpenCall, message: JSONRPCMessage): JSONRPCMessage {
    if (!('method' in message)) return message;
    if ('id' in message) {
      this.#asked += 1;
      this.#questions.set(this.#asked, { call, id: message.id });
      return { ...message, id: this.#asked };
    }
    if (message.method !== 'notifications/cancelled') return message;
    const number = this.#numberOf(call, message.params?.requestId);
    return number === undefined ? message : { ...message, params: { ...message.params, requestId: number } };
  }

  /** Takes what the client sent in a request of its own: answers, and word that a call is not wanted any more. */
  hear(message: unknown): void {
    for (const item of Array.isArray(message) ? message : [message]) {
      if (isJSONRPCResponse(item)) {
        this.#answer(item);
      } else if (isJSONRPCNotification(item) && item.method === 'notifications/cancelled') {
        for (const call of this.#calls) if (call.isOf(item.params?.requestId)) call.end();
      }
    }
  }

  end(): void {
    for (const call of this.#calls) call.end();
  }

  #answer(answer: JSONRPCResponse): void {
    const question = this.#questions.get(answer.id);
    if (question === undefined) return;
    this.#questions.delete(answer.id);
    question.call.answer({ ...answer, id: question.id });
  }

  #numberOf(call: OpenCall, id: unknown): unknown {
    for (const [number, question] of this.#questions) {
      if (question.call === call && question.id === id) return number;
    }
    return undefined;
  }
}
