/** How one reader is told that something changed. Whole server-sent events; never any content. */
export interface FrameStyle {
  /** Styles with equal keys write equal frames, so that one frame serves all their readers. */
  readonly key: string;
  updated(uri: string): string;
  listChanged(): string;
  /** The last frame of a stream that the server ends in good order; undefined where the era has none. */
  farewell(): string | undefined;
}

/** One server-sent event that carries one JSON-RPC message, already serialised. */
export function messageEvent(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
