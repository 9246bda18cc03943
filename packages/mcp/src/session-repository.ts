/** What is kept of a session, so that a client can go on with it after the server was restarted. */
export interface StoredSession {
  readonly id: string;
  /** The (sub, clientId) that opened it. */
  readonly owner: string;
  readonly protocolVersion: string;
  readonly subscriptions: readonly string[];
  readonly listServed: boolean;
  /** From which severity on the client wants log messages; null when it never said, absent from older sessions. */
  readonly logLevel?: string | null;
  /**
   * When it was opened, as the history names it: from there a client goes on that does not say how far it got. What
   * one client named since may have been under a narrower token, so it never takes this place. Null without history.
   */
  readonly resumeFrom: string | null;
}

/**
 * Where sessions are kept. When `save` resolves, what it was given survives the death of the process. A session
 * that was neither saved nor touched for as long as sessions may be idle is not loaded any more.
 */
export interface SessionRepository {
  /** Whether other processes keep sessions here too, so that what is known of one may have changed. */
  readonly isShared?: boolean;
  load(id: string): Promise<StoredSession | null>;
  save(session: StoredSession): Promise<void>;
  /** Says that a session is in use. */
  touch(id: string): Promise<void>;
  remove(id: string): Promise<void>;
}

/** Keeps nothing: sessions end with the process. */
export const noRepository: SessionRepository = {
  load: async () => null,
  save: async () => {},
  touch: async () => {},
  remove: async () => {},
};
