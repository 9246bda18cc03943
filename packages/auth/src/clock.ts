/** The only source of time in this package: `now()` is in epoch milliseconds. */
export interface Clock {
  now(): number;
}

/** The clock's time as a NumericDate (RFC 7519, section 2) without a fraction: whole epoch seconds. */
export function epochSeconds(clock: Clock): number {
  return Math.floor(clock.now() / 1000);
}
