const UNITS = [
  { ms: 86_400_000, name: 'day' },
  { ms: 3_600_000, name: 'hour' },
  { ms: 60_000, name: 'minute' },
] as const;

/** How long ago something was, for the eye: the largest whole unit, rounded down; never a future age. */
export function ageInWords(then: number, now: number): string {
  const elapsed = now - then;
  for (const { ms, name } of UNITS) {
    const count = Math.floor(elapsed / ms);
    if (count >= 1) return `${count} ${name}${count === 1 ? '' : 's'} ago`;
  }
  return 'just now';
}
