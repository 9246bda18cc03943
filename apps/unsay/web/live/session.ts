import type { ReadAnswer } from './fact.ts';

/** How a connected client reaches the server. Any of the calls may reject: then the connection is of no use. */
export interface Session {
  /** URIs of every resource the token may list. */
  list(): Promise<readonly string[]>;
  /** Never rejects: a failure is an answer. */
  read(uri: string): Promise<ReadAnswer>;
  /**
   * Resolves once the server has acknowledged a stream for these URIs, with those it honours. An earlier
   * stream is closed after that, so that nothing falls between the two.
   */
  listen(uris: readonly string[]): Promise<readonly string[]>;
  /** Resolves when the stream has ended other than by `close` or a newer `listen`. */
  readonly dropped: Promise<void>;
  /** When the stream last sent a byte; milliseconds of this page's clock. */
  lastSign(): number;
  /** The server's clock minus this page's, in milliseconds. */
  clockAhead(): number;
  /** Whether the server has refused the token since this session opened. */
  unauthorised(): boolean;
  close(): void;
}

/** What the server announces on the stream. */
export interface Announcements {
  updated(uri: string): void;
  listChanged(): void;
}

/** What opening a session gave. */
export type Opened =
  | { readonly kind: 'open'; readonly session: Session }
  | { readonly kind: 'unauthorised' }
  | { readonly kind: 'unreachable'; readonly reason: string };

/** Opens a session with a token. */
export type OpenSession = (token: string, announcements: Announcements) => Promise<Opened>;
