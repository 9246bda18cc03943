import { LOG_LEVELS, type LogLevel } from '../interaction.ts';

/** How the log channel tells of a change: normal, and significant (RFC 5424). */
const CHANGE_LOG_LEVEL = 'notice';
const CHANGE_LOGGER = 'resources';

/** Whether a client that wants log messages from this level on wants those of changes. */
export function wantsChangeLog(level: LogLevel | null): boolean {
  return level !== null && LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf(CHANGE_LOG_LEVEL);
}

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
  /** What the log channel says of it, as JSON; undefined for a publisher without a log. */
  readonly logged?: string;
}

/**
 * Two changes told of at once. A reader who comes back names the older, so that it is told of everything after it
 * once more rather than never.
 */
export function merged<P>(older: Change<P>, newer: Change<P>): Change<P> {
  if (older.place === undefined || newer.place === undefined) return newer;
  return { ...newer, place: { order: newer.place.order, id: older.place.id } };
}

/** How one reader is told that something changed. Whole server-sent events; never any content. */
export interface FrameStyle {
  /** Styles with equal keys write equal frames, so that one frame serves all their readers. */
  readonly key: string;
  updated(uri: string, place: Place | undefined): string;
  listChanged(place: Place | undefined): string;
  /** The change as a log message; `data` is JSON. Asked only of a reader that asked for the log. */
  logged(data: string, place: Place | undefined): string;
  /** The last frame of a stream that the server ends in good order; undefined where the era has none. */
  farewell(): string | undefined;
  /** What shows that a quiet stream is alive; without it a comment does. */
  heartbeat?(): string;
  /** The last frames of a stream whose token has ended; without it the stream ends without a word. */
  tokenEnded?(): string;
}

/** A `notifications/message`, as JSON. `more` is what the parameters have beside the message. */
export function logMessage(data: string, more = ''): string {
  const params = `"level":"${CHANGE_LOG_LEVEL}","logger":"${CHANGE_LOGGER}","data":${data}${more}`;
  return `{"jsonrpc":"2.0","method":"notifications/message","params":{${params}}}`;
}

/** One change of a resource for a reader that asked for the log: one event for each way, and one id for both. */
export function updatedAndLogged(
  frames: FrameStyle,
  uri: string,
  { place, logged }: Pick<Change<never>, 'place' | 'logged'>,
): string {
  const inLog = logged === undefined ? '' : frames.logged(logged, undefined);
  return inLog + frames.updated(uri, place);
}

/** One server-sent event that carries one JSON-RPC message, already serialised. */
export function messageEvent(json: string): string {
  return `event: message\ndata: ${json}\n\n`;
}
