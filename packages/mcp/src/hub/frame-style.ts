/** Where a change stands among all changes. */
export interface Place {
  /** Grows from change to change. It counts what a reader may not see, so it is compared here and never sent. */
  readonly order: number;
  /** What a reader who comes back names the change by. */
  readonly id: () => string;
}

/** A change on its way to readers. */
export interface Change<P> {
  readonly mayHear: (principal: P) => boolean;
  /** Undefined for a publisher that keeps no history. */
  readonly place: Place | undefined;
}

/**
 * Two changes told of at once. A reader who comes back names the older, so that it is told of everything after it
 * once more rather than never.
 */
export function merged<P>(older: Change<P>, newer: Change<P>): Change<P> {
  if (older.place === undefined || newer.place === undefined) return newer;
  return { mayHear: newer.mayHear, place: { order: newer.place.order, id: older.place.id } };
}

/** How one reader is told that something changed. Whole server-sent events; never any content. */
export interface FrameStyle {
  /** Styles with equal keys write equal frames, so that one frame serves all their readers. */
  readonly key: string;
  updated(uri: string, place: Place | undefined): string;
  listChanged(place: Place | undefined): string;
  /** The last frame of a stream that the server ends in good order; undefined where the era has none. */
  farewell(): string | undefined;
  /** What shows that a quiet stream is alive; without it a comment does. */
  heartbeat?(): string;
  /** The last frames of a stream whose token has ended; without it the stream ends without a word. */
  tokenEnded?(): string;
}

/** One server-sent event that carries one JSON-RPC message, already serialised. */
export function messageEvent(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
