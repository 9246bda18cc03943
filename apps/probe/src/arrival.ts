/** What is kept of a JSON value: known keys and known words; everything else is a placeholder in angle brackets. */
export type Kept = string | number | boolean | null | readonly Kept[] | { readonly [key: string]: Kept };

/** What a server answered, without what it said. */
export interface Answer {
  readonly status: number;
  /** `none` is an answer without a body. */
  readonly body: 'json' | 'stream' | 'html' | 'text' | 'none';
  /** What the JSON-RPC message in the body was, or the first one of a stream. */
  readonly outcome: 'result' | 'error' | 'message' | 'none';
  /** The code of a JSON-RPC error. */
  readonly code: number | null;
  /** The fields of a result, sorted; only known words. */
  readonly fields: readonly string[];
}

/** How a request proved who sent it. */
export type Credential = 'none' | 'token of this server' | 'token of another' | 'not a bearer token';

/** What only the request itself can show, found before it was redacted. */
export type Note =
  | 'the redirect differs from the registered one in its port'
  | 'the redirect was not registered'
  | 'a refresh token came twice';

/** A request and its answer, as they are stored. Nothing in it is free text of the client's, but its own name. */
export interface Arrival {
  readonly phase: Phase;
  /** The client that sent it, numbered from 1 in the order in which clients came. */
  readonly visitor: number;
  /** The place of the request in its run, from 1: answers may be stored in another order. */
  readonly place: number;
  /** Milliseconds since the first request of this run. */
  readonly atMs: number;
  readonly method: string;
  readonly path: string;
  readonly query: { readonly [key: string]: Kept };
  readonly headers: { readonly [name: string]: string };
  /** Headers whose names are not known. */
  readonly otherHeaders: number;
  /** Null without a body. */
  readonly body: Kept;
  readonly credential: Credential;
  readonly notes: readonly Note[];
  readonly answer: Answer;
}

/** `open` lets everyone in; `auth` asks for a token and offers one. */
export type Phase = 'open' | 'auth';

export const PHASES: readonly Phase[] = ['open', 'auth'];

/** Whether a kept value has keys. */
export function isKeptObject(value: Kept | undefined): value is { readonly [key: string]: Kept } {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value at a path of keys; undefined where there is none. */
export function at(value: Kept | undefined, ...keys: readonly string[]): Kept | undefined {
  return keys.reduce<Kept | undefined>(
    (inner, key) => (isKeptObject(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}
