/** What a request shows of the client that sent it. Nothing of it is stored. */
export interface Traces {
  /** The connection that it came over. */
  readonly connection: object;
  /** The session that it names. */
  readonly session: string | undefined;
  /** Who it says that it is, in this message. */
  readonly clientName: string | undefined;
  readonly agent: string | undefined;
}

/** Tells clients apart. */
export interface Visitors {
  /** The number of the client that left these traces; a new one for a client that was not seen before. */
  numberOf(traces: Traces): number;
  /** A client was sent to get a token: what walks without a name next is it, by another connection or library. */
  sentAway(visitor: number): void;
  /** A session was opened for a client. */
  opened(session: string, visitor: number): void;
}

/**
 * A session names its client for certain, then a name in the message, then the connection. A client that has said
 * nothing yet (it looks for metadata, say) is told by its User-Agent, as the newest with that one, and if that is
 * new too, it is the one that was last sent away.
 */
export function createVisitors(): Visitors {
  const bySession = new Map<string, number>();
  const byName = new Map<string, number>();
  const byConnection = new WeakMap<object, number>();
  const byAgent = new Map<string, number>();
  /** Visitors that have not said their name: the first name that fits is theirs. */
  const nameless = new Set<number>();
  let last = 0;
  let walking: number | undefined;

  function find({ session, clientName, connection, agent = '' }: Traces): number | undefined {
    const known = session === undefined ? undefined : bySession.get(session);
    if (known !== undefined) return known;
    const near = byConnection.get(connection) ?? byAgent.get(agent);
    if (clientName === undefined) return near ?? walking;
    return byName.get(clientName) ?? (near !== undefined && nameless.has(near) ? near : undefined);
  }

  return {
    numberOf(traces) {
      const found = find(traces);
      const visitor = found ?? ++last;
      if (found === undefined) nameless.add(visitor);
      if (traces.clientName !== undefined) {
        byName.set(traces.clientName, visitor);
        nameless.delete(visitor);
      }
      byConnection.set(traces.connection, visitor);
      byAgent.set(traces.agent ?? '', visitor);
      return visitor;
    },
    sentAway(visitor) {
      walking = visitor;
    },
    opened: (session, visitor) => void bySession.set(session, visitor),
  };
}
