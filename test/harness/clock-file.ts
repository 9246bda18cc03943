import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { removeFolder, temporaryFolder } from './running-server.ts';

/** The time of a test server: a file that it reads at each use, set by the test. */
export class ClockFile {
  readonly #folder = temporaryFolder();
  #now: number;

  constructor(start: number = Date.now()) {
    this.#now = start;
    this.#write();
  }

  /** The value of UNSAY_CLOCK. */
  get setting(): string {
    return `file:${this.#path}`;
  }

  /** Milliseconds since the epoch. */
  get now(): number {
    return this.#now;
  }

  /** Moves the time, back when negative. */
  move(milliseconds: number): void {
    this.#now += milliseconds;
    this.#write();
  }

  /** Leaves the file empty, as a writer does for a moment that rewrites it in place. */
  blank(): void {
    writeFileSync(this.#path, '');
  }

  remove(): void {
    removeFolder(this.#folder);
  }

  get #path(): string {
    return join(this.#folder, 'clock');
  }

  #write(): void {
    const beside = `${this.#path}.new`;
    writeFileSync(beside, new Date(this.#now).toISOString());
    renameSync(beside, this.#path);
  }
}
