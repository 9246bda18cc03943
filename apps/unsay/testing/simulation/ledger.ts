import { laneOf } from './people.ts';

/** One request to write, whatever became of it. */
export interface IssuedWrite {
  /** Stands in everything that the write brings about, and in nothing else. */
  readonly number: number;
  readonly uri: string;
  readonly withdraws: boolean;
  /** What it was answered with; null while nobody was told that it happened. */
  answer: WriteAnswer | null;
}

/** The members of a 201 that never change, however often the request is sent. */
export interface WriteAnswer {
  readonly version: number;
  readonly versionHash: string;
  readonly prevHash: string | null;
  readonly writtenAt: string;
  /** When it arrived at the writer, in virtual milliseconds. */
  readonly at: number;
}

/** Everything that was asked and promised in a run: what the server is held to. */
export class Ledger {
  readonly writes: IssuedWrite[] = [];
  readonly broken: string[] = [];

  issue(uri: string, withdraws: boolean): IssuedWrite {
    laneOf(uri);
    const write = { number: this.writes.length, uri, withdraws, answer: null };
    this.writes.push(write);
    return write;
  }

  /** A promise was broken: one plain sentence. */
  fault(sentence: string): void {
    this.broken.push(sentence);
  }

  /** The writer was told. A second answer must be the first one again. */
  answered(write: IssuedWrite, answer: WriteAnswer): void {
    const first = write.answer;
    if (first === null) {
      write.answer = answer;
    } else if (first.versionHash !== answer.versionHash || first.version !== answer.version) {
      this.fault(`a request sent again was answered with v${answer.version} instead of v${first.version}`);
    }
  }

  /** The newest version of a fact that a writer was told of by then, in virtual milliseconds; 0 for none. */
  answeredHead(uri: string, by: number): number {
    let newest = 0;
    for (const write of this.writes) {
      if (write.uri === uri && write.answer !== null && write.answer.at <= by) {
        newest = Math.max(newest, write.answer.version);
      }
    }
    return newest;
  }

  /** Whether a write's words were withdrawn by an answer that its writer had before this moment. */
  isWithdrawn({ uri, answer }: IssuedWrite, before: number): boolean {
    if (answer === null) return false;
    return this.writes.some(
      (other) =>
        other.withdraws &&
        other.uri === uri &&
        other.answer !== null &&
        other.answer.version > answer.version &&
        other.answer.at < before,
    );
  }
}

/** The words that stand for a write; `part` says which of its texts. Found by {@link MARK}. */
export function mark(number: number, part: 'value' | 'label' | 'author'): string {
  return `zqx${String(number).padStart(4, '0')}${part.charAt(0)}`;
}

/** Finds marks: the number of the write, and `v`, `l` or `a` for the part. */
export const MARK = /zqx(\d{4})([vla])/g;
