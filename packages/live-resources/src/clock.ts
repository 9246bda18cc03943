/** Where all wall-clock time comes from. Injected once, from an application's entry point. */
export interface Clock {
  /** Milliseconds since the Unix epoch, UTC. */
  now(): number;
}

/**
 * A moment as the ISO 8601 string that is hashed, stored and shown: UTC, milliseconds, `Z`.
 * Strings of this form sort in the order of time.
 */
export type Instant = string & { readonly __brand: 'Instant' };

const INSTANT = /^(\d{4}-\d{2}-\d{2})T(?!24)\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * The instant of an epoch time in milliseconds.
 *
 * @throws RangeError for a number that is no moment. One before year 0 or after 9999 has another form, and
 *   does not sort.
 */
export function instant(epochMs: number): Instant {
  return new Date(epochMs).toISOString() as Instant;
}

/**
 * Reads an ISO 8601 date and time with a zone and returns it in canonical form, or null. What is finer
 * than a millisecond is cut off.
 * A time without a zone is refused: it means another moment on another machine.
 */
export function parseInstant(text: string): Instant | null {
  const day = INSTANT.exec(text)?.[1];
  if (day === undefined) return null;
  const ms = Date.parse(text);
  // Date.parse takes the 30th of February for the 2nd of March: a day must come back as it went in.
  if (!Number.isFinite(ms) || !instant(Date.parse(day)).startsWith(day)) return null;
  const canonical = instant(ms);
  return canonical.length === 24 ? canonical : null;
}

/** Milliseconds since the Unix epoch of an instant. */
export function epochMs(at: Instant): number {
  return Date.parse(at);
}
