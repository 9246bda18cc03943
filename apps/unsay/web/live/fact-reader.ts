import type { Cancel, Scheduler } from '../page/scheduler.ts';
import { retryDelay } from './backoff.ts';
import type { Fact, ReadAnswer } from './fact.ts';

/**
 * What a page may rely on: `confirmed`, read after the last word of a change; `checking`, a re-read is under
 * way; `unconfirmed`, the last read failed or the connection is gone; `absent`, the server knows no such fact.
 */
export type Standing = 'confirmed' | 'checking' | 'unconfirmed' | 'absent';

/** What a reader tells its page. Each is called after the reader's own state has changed. */
export interface ReaderEvents {
  /** A change was announced; the words on hand may no longer hold. */
  suspect(uri: string): void;
  /** A read that began after the last announcement gave this head. */
  confirmed(fact: Fact): void;
  /** The fact could not be read; it will be tried again while connected. */
  unconfirmed(uri: string, reason: string): void;
  absent(uri: string): void;
}

interface Slot {
  fact: Fact | null;
  standing: Standing;
  reading: boolean;
  /** Something happened since the running read began, so its answer is not the last word. */
  again: boolean;
  failures: number;
  cancelRetry: Cancel;
  waiters: (() => void)[];
}

/**
 * Reads facts and reads them again when they change: one read of a fact at a time, never an older version
 * over a newer one, and nothing called confirmed that a later announcement has overtaken.
 */
export class FactReader {
  readonly #events: ReaderEvents;
  readonly #scheduler: Scheduler;
  readonly #chance: () => number;
  readonly #slots = new Map<string, Slot>();
  #read: ((uri: string) => Promise<ReadAnswer>) | null = null;

  constructor(options: { events: ReaderEvents; scheduler: Scheduler; chance: () => number }) {
    this.#events = options.events;
    this.#scheduler = options.scheduler;
    this.#chance = options.chance;
  }

  /** Facts on hand, in the order of their URIs. */
  facts(): readonly Fact[] {
    const facts = [...this.#slots.values()].flatMap(({ fact }) => (fact === null ? [] : [fact]));
    return facts.sort((a, b) => (a.uri < b.uri ? -1 : 1));
  }

  fact(uri: string): Fact | null {
    return this.#slots.get(uri)?.fact ?? null;
  }

  standing(uri: string): Standing {
    return this.#slots.get(uri)?.standing ?? 'absent';
  }

  /**
   * Takes a connection to read through. Facts on hand stay unconfirmed until they are read again; what is being read
   * over an earlier one is read over this one instead.
   */
  attach(read: (uri: string) => Promise<ReadAnswer>): void {
    this.#read = read;
    for (const [uri, slot] of this.#slots) {
      if (!slot.reading) continue;
      slot.reading = false;
      this.#pump(uri, slot);
    }
  }

  /** The connection is gone: nothing on hand is confirmed, and answers still under way are ignored. */
  detach(): void {
    this.#read = null;
    for (const slot of this.#slots.values()) {
      slot.cancelRetry();
      slot.reading = false;
      slot.again = false;
      if (slot.standing !== 'absent') slot.standing = 'unconfirmed';
      release(slot);
    }
  }

  /** Reads a fact. Resolves when its standing is settled, whatever it is. */
  refresh(uri: string): Promise<void> {
    const slot = this.#slot(uri);
    return new Promise((resolve) => {
      slot.waiters.push(resolve);
      this.#pump(uri, slot);
    });
  }

  /** A change of this fact was announced. */
  announce(uri: string): void {
    const slot = this.#slots.get(uri);
    if (slot === undefined) return;
    slot.standing = 'checking';
    this.#events.suspect(uri);
    this.#pump(uri, slot);
  }

  /** Keeps only these facts; the others are absent. */
  keep(uris: readonly string[]): void {
    for (const uri of [...this.#slots.keys()].filter((known) => !uris.includes(known))) this.#drop(uri);
  }

  #slot(uri: string): Slot {
    const known = this.#slots.get(uri);
    if (known !== undefined) return known;
    const slot: Slot = {
      fact: null,
      standing: 'checking',
      reading: false,
      again: false,
      failures: 0,
      cancelRetry: () => {},
      waiters: [],
    };
    this.#slots.set(uri, slot);
    return slot;
  }

  #pump(uri: string, slot: Slot): void {
    slot.cancelRetry();
    const read = this.#read;
    if (read === null) {
      slot.standing = 'unconfirmed';
      release(slot);
    } else if (slot.reading) {
      slot.again = true;
    } else {
      slot.reading = true;
      slot.again = false;
      void read(uri).then((answer) => {
        if (this.#read === read && this.#slots.get(uri) === slot) this.#answered(uri, slot, answer);
      });
    }
  }

  #answered(uri: string, slot: Slot, answer: ReadAnswer): void {
    slot.reading = false;
    const older = answer.kind === 'found' && slot.fact !== null && answer.fact.version < slot.fact.version;
    if (slot.again) this.#pump(uri, slot);
    else if (answer.kind === 'absent') this.#drop(uri);
    else if (answer.kind === 'failed') this.#failed(uri, slot, answer.reason);
    else if (older) this.#failed(uri, slot, 'the server answered with an older version');
    else this.#confirm(slot, answer.fact);
  }

  #confirm(slot: Slot, fact: Fact): void {
    slot.fact = fact;
    slot.standing = 'confirmed';
    slot.failures = 0;
    this.#events.confirmed(fact);
    release(slot);
  }

  #failed(uri: string, slot: Slot, reason: string): void {
    slot.standing = 'unconfirmed';
    const delay = retryDelay(slot.failures, this.#chance());
    slot.failures += 1;
    slot.cancelRetry = this.#scheduler.after(delay, () => this.#pump(uri, slot));
    this.#events.unconfirmed(uri, reason);
    release(slot);
  }

  #drop(uri: string): void {
    const slot = this.#slots.get(uri);
    if (slot === undefined) return;
    slot.cancelRetry();
    this.#slots.delete(uri);
    this.#events.absent(uri);
    release(slot);
  }
}

function release(slot: Slot): void {
  for (const resolve of slot.waiters.splice(0)) resolve();
}
