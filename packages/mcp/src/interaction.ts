import type { PromptEntry, PromptOutcome, ToolDescription, ToolOutcome } from './application.ts';
import type { JsonObject, JsonValue } from './json.ts';

/** Severities of RFC 5424, the least first. */
export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

/** A severity of RFC 5424. */
export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** One thing that the client is asked for, with the parameters that MCP gives the method. */
export interface InputRequest {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params?: JsonObject;
}

/**
 * The call cannot be answered yet. Revision 2026-07-28 hands this to the client, which calls again with what it
 * was asked for (SEP-2322); before, the client is asked while its call is open. A client that did not declare
 * the capability for one of these is not asked: it is told what is missing.
 */
export interface InputRequired {
  readonly kind: 'input_required';
  /** By keys of the server's choice; the answers come back under the same keys. At least one. */
  readonly inputRequests: Readonly<Record<string, InputRequest>>;
  /**
   * Comes back with the answers. The client can read it and cannot change it: it is signed, for this caller and
   * this tool or prompt, for ten minutes.
   */
  readonly requestState?: JsonValue;
}

/** One call of an interactive tool or prompt. What is sent through it reaches the client before the answer. */
export interface Exchange {
  /** What the client said that it can do. Its word, and no more. */
  readonly clientCapabilities: JsonObject;
  /** What the client answered to the input requests of the round before, by key. Unchecked; empty at first. */
  readonly inputResponses: JsonObject;
  /** The state of the round before; undefined at first. */
  readonly requestState: JsonValue | undefined;
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /** Sends nothing to a client that did not ask for progress. */
  progress(done: number, total: number): Promise<void>;
  /** Sends nothing below the level that the client set; since 2026-07-28, nothing unless it set one. */
  log(level: LogLevel, data: JsonValue): Promise<void>;
}

/** A tool that speaks to the client before it answers. */
export interface InteractiveTool<P> extends ToolDescription {
  /** `args` already agrees with `inputSchema`. */
  call(principal: P, args: JsonObject, exchange: Exchange): Promise<ToolOutcome | InputRequired>;
}

/** A prompt that speaks to the client before it answers. */
export interface InteractivePrompt<P> extends PromptEntry {
  get(
    principal: P,
    args: Readonly<Record<string, string>>,
    exchange: Exchange,
  ): Promise<PromptOutcome | InputRequired>;
}

export interface InteractiveMethods<P> {
  readonly tools?: readonly InteractiveTool<P>[];
  readonly prompts?: readonly InteractivePrompt<P>[];
  /** Declares log messages. Without it, `Exchange.log` sends nothing. */
  readonly logging?: true;
}
