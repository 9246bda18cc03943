/** Asks an MCP server one thing, whichever way leads there. Rejects with an {@link AskError}. */
export type Ask = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** A question that was not answered with a result. */
export class AskError extends Error {
  /** The JSON-RPC code of the answer; null where there was none. */
  readonly code: number | null;

  constructor(code: number | null, message: string) {
    super(message);
    this.code = code;
  }
}
