import { writeSync } from 'node:fs';
import { type Clock, instant } from '@unsay/live-resources';
import { type FaultWords, faultWords } from './fault-words.ts';

/** How much is written: faults alone, or also when the server starts and stops, and every request. */
export type LogLevel = 'faults' | 'requests';

/** Everything that is ever written. Each string in it is of a closed list, a keyed hash, or a {@link FaultWords}. */
export type LogEntry =
  | ({ readonly event: 'fault' } & FaultWords)
  | { readonly event: 'started'; readonly port: number; readonly metricsPort: number | null }
  | { readonly event: 'stopping' | 'stopped' }
  | {
      readonly event: 'request';
      readonly route: string;
      readonly method: string;
      readonly status: number;
      readonly ms: number;
    }
  | {
      readonly event: 'message';
      readonly era: string;
      readonly method: string;
      readonly status: number;
      readonly ms: number;
      readonly uri: string | null;
    }
  | {
      readonly event: 'write';
      readonly outcome: string;
      readonly reason: string | null;
      readonly via: string;
      readonly count: number;
      readonly uri: string | null;
    };

/** The server's log: one JSON object a line, on standard error. */
export interface Log {
  /** Whether requests are written. */
  readonly level: LogLevel;
  /** Writes an entry that the level lets through. It never throws, and never waits for whoever reads. */
  write(entry: LogEntry): void;
  /** Tells the operator of an exception that a caller was only told of as a fault. */
  fault(error: unknown): void;
}

const STANDARD_ERROR = 2;

/** A log that takes its time from `clock`. */
export function createLog(
  clock: Clock,
  level: LogLevel = 'faults',
  output: (line: string) => void = (line) => writeSync(STANDARD_ERROR, line),
): Log {
  function write(entry: LogEntry): void {
    if (entry.event !== 'fault' && level !== 'requests') return;
    try {
      output(`${JSON.stringify({ at: instant(clock.now()), ...entry })}\n`);
    } catch {
      // A log on a disk that is full, or one that nobody reads, must not end the server, nor keep it waiting.
    }
  }
  return { level, write, fault: (error) => write({ event: 'fault', ...faultWords(error) }) };
}
