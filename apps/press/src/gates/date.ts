/** What is said of a date that is none. */
export const DATE_MESSAGE =
  'date is a day like 2026-11-30, or an instant with its zone like 2026-11-30T09:00:00Z or …+01:00.';

const DAY =
  /^(\d{4})-(\d{2})-(\d{2})(?:T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d))?$/;

/**
 * Whether a value is a date that means one moment everywhere: a day (its start in UTC is meant), or an instant with
 * its zone (RFC 3339). A time of day without a zone is none.
 */
export function isDate(value: unknown): value is string {
  if (typeof value !== 'string') return false;
  const [, year, month, day] = DAY.exec(value) ?? [];
  const date = `${year}-${month}-${day}`;
  const start = Date.parse(`${date}T00:00:00Z`);
  return (
    !Number.isNaN(start) && new Date(start).toISOString().startsWith(date) && !Number.isNaN(Date.parse(value))
  );
}

/** The moment that a date means, in milliseconds since 1970. */
export function momentOf(date: string): number {
  return Date.parse(date);
}
