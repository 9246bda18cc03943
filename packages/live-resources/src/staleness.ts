import { type Clock, epochMs } from './clock.ts';
import type { FactVersion } from './version.ts';

/** A version's age by the server's clock. */
export interface Age {
  /** Whole seconds since it was written, never negative. */
  readonly seconds: number;
  /** Whether it is past its review date. */
  readonly stale: boolean;
}

/** The age of a version now. A reader's own clock has no say. */
export function ageOf(version: FactVersion, clock: Clock): Age {
  const now = clock.now();
  return {
    seconds: Math.max(0, Math.floor((now - epochMs(version.writtenAt)) / 1000)),
    stale: version.staleAfter !== null && now >= epochMs(version.staleAfter),
  };
}

const UNITS = [
  { seconds: 86_400, one: 'day', many: 'days' },
  { seconds: 3_600, one: 'hour', many: 'hours' },
  { seconds: 60, one: 'minute', many: 'minutes' },
  { seconds: 1, one: 'second', many: 'seconds' },
] as const;

/** An age of so many seconds in English words, for the ear: the largest whole unit, rounded down. */
export function ageInWords(seconds: number): string {
  for (const unit of UNITS) {
    const count = Math.floor(seconds / unit.seconds);
    if (count >= 1) return `${count} ${count === 1 ? unit.one : unit.many} ago`;
  }
  return 'just now';
}

/** What stands before the words of a version that is past its review date. */
export function staleHeader(version: FactVersion, age: Age): string {
  return `[STALE — last changed ${ageInWords(age.seconds)} by ${version.authorLabel}; say this age aloud]`;
}

/** What stands in place of the words of a fact that was withdrawn. */
export function withdrawnHeader(version: FactVersion, age: Age): string {
  return `[WITHDRAWN — taken back ${ageInWords(age.seconds)} by ${version.authorLabel}; nothing replaces it yet]`;
}
