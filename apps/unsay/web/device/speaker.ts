import type { Fact } from '../live/fact.ts';
import type { ReaderEvents, Standing } from '../live/fact-reader.ts';
import type { Saying, SpeechEngine } from '../speech/engine.ts';
import { HeardLedger } from './heard-ledger.ts';
import {
  type Cut,
  type CutReason,
  factUtterance,
  retractionUtterance,
  type SaidEntry,
  type Utterance,
} from './utterance.ts';

/** Where the speaker gets facts. */
export interface FactSource {
  fact(uri: string): Fact | null;
  standing(uri: string): Standing;
  /** Reads again; the answer arrives as a reader event. */
  refresh(uri: string): void;
  /** The sentence that takes `version` back for the current head, or null where there is none to be had. */
  retractionFrom(uri: string, version: number): Promise<string | null>;
}

/** Something a person has to be told on screen, because nothing can be said. */
export type Notice =
  | { readonly kind: 'none' }
  /** Taken out of speech, and the server does not say what holds now. */
  | { readonly kind: 'unconfirmed'; readonly uri: string }
  | { readonly kind: 'gone'; readonly uri: string }
  /** It changed after it was heard, and the server gave no sentence that takes the old words back. */
  | { readonly kind: 'no-retraction'; readonly uri: string };

/** What the caption shows. */
export interface Caption {
  readonly state: 'idle' | 'speaking' | 'cut' | 'retracting' | 'done';
  readonly uri: string | null;
  /** The sentence on screen, with its words. */
  readonly utterance: Utterance | null;
  /** Index of the word being said; null outside speech. */
  readonly word: number | null;
  /** What was stopped before this, while it still matters. */
  readonly cut: Cut | null;
  readonly notice: Notice;
  /** A fact is being read before it is said. */
  readonly checking: boolean;
}

interface Current {
  readonly utterance: Utterance;
  word: number;
  heard: number;
  saying: Saying | null;
}

const NO_NOTICE: Notice = { kind: 'none' };

/**
 * Decides what is said and when. Three rules: nothing is said that was not read a moment before; a fact that
 * changes is cut at the announcement, not at the re-read; and what a person heard of an older version is taken
 * back, in the server's words, before anything else is said.
 */
export class Speaker implements ReaderEvents {
  readonly #engine: SpeechEngine;
  readonly #source: FactSource;
  readonly #now: () => number;
  readonly #changed: () => void;
  readonly #ledger = new HeardLedger();
  readonly #said: SaidEntry[] = [];
  #live = false;
  #queue: string[] = [];
  #current: Current | null = null;
  /** The fact whose reading is awaited, and what for. Nothing else is begun meanwhile. */
  #pending: { uri: string; kind: 'fact' | 'retraction' } | null = null;
  #shown: Utterance | null = null;
  #state: Caption['state'] = 'idle';
  #cut: Cut | null = null;
  #notice: Notice = NO_NOTICE;

  constructor(options: { engine: SpeechEngine; source: FactSource; now: () => number; changed: () => void }) {
    this.#engine = options.engine;
    this.#source = options.source;
    this.#now = options.now;
    this.#changed = options.changed;
  }

  get caption(): Caption {
    const utterance = this.#shown;
    return {
      state: this.#state,
      uri: utterance?.uri ?? null,
      utterance,
      word: this.#current === null || this.#current.word < 0 ? null : this.#current.word,
      cut: this.#cut,
      notice: this.#notice,
      checking: this.#pending !== null,
    };
  }

  get engine(): SpeechEngine['kind'] {
    return this.#engine.kind;
  }

  /** What was said in this page's life, oldest first. */
  get said(): readonly SaidEntry[] {
    return this.#said;
  }

  get busy(): boolean {
    return this.#current !== null || this.#pending !== null || this.#queue.length > 0;
  }

  /** Facts that wait for their turn. */
  get queue(): readonly string[] {
    return this.#queue;
  }

  /** Says these facts, one after another, after what is being said. Refused while not live. */
  say(uris: readonly string[]): void {
    if (!this.#live) return;
    for (const uri of uris) {
      this.#ledger.claim(uri);
      if (!this.#queue.includes(uri)) this.#queue.push(uri);
    }
    this.#proceed();
  }

  /** A person asks for silence. What is owed now is not said until they ask for that fact, or it changes again. */
  stop(): void {
    this.#stopSaying('stopped');
    this.#queue = [];
    this.#pending = null;
    for (const uri of this.#ledger.uris()) {
      const head = this.#source.fact(uri);
      if (head !== null && this.#ledger.owes(uri, head.version)) this.#ledger.waive(uri, head.version);
    }
    this.#changed();
  }

  /** The connection is live: everything has been read, so what is owed is known. */
  connect(): void {
    this.#live = true;
    this.#proceed();
  }

  /** The connection is gone: going on would be to say what may no longer hold. */
  disconnect(): void {
    if (!this.#live) return;
    this.#live = false;
    this.#stopSaying('disconnected');
    this.#queue = [];
    this.#pending = null;
    this.#changed();
  }

  suspect(uri: string): void {
    if (this.#current?.utterance.uri === uri) {
      this.#stopSaying('changed');
      this.#pending = { uri, kind: 'fact' };
    } else if (this.#pending?.uri === uri) {
      this.#pending = { uri, kind: 'fact' };
    }
    this.#changed();
  }

  confirmed(fact: Fact): void {
    if (this.#notice.kind === 'unconfirmed' && this.#notice.uri === fact.uri) this.#notice = NO_NOTICE;
    const current = this.#current?.utterance;
    if (current?.uri === fact.uri && current.version < fact.version) {
      this.#stopSaying('changed');
      this.#pending = { uri: fact.uri, kind: 'fact' };
    }
    if (this.#pending?.kind === 'fact' && this.#pending.uri === fact.uri) {
      this.#pending = null;
      if (this.#ledger.owes(fact.uri, fact.version)) this.#retract(fact);
      else this.#begin(factUtterance(fact));
    }
    this.#proceed();
  }

  unconfirmed(uri: string): void {
    if (this.#pending?.uri === uri) this.#giveUp({ kind: 'unconfirmed', uri });
    else if (this.#ledger.version(uri) !== null) this.#notice = { kind: 'unconfirmed', uri };
    this.#proceed();
  }

  absent(uri: string): void {
    const saying = this.#current?.utterance.uri === uri;
    if (saying) this.#stopSaying('gone');
    this.#queue = this.#queue.filter((queued) => queued !== uri);
    if (saying || this.#pending?.uri === uri || this.#ledger.version(uri) !== null) {
      this.#giveUp({ kind: 'gone', uri });
    }
    this.#proceed();
  }

  /** Nothing can be said of this fact now. The queue goes too: its order has lost its sense. */
  #giveUp(notice: Notice): void {
    this.#pending = null;
    this.#queue = [];
    this.#notice = notice;
  }

  /** Begins what comes next, if anything may begin. */
  #proceed(): void {
    if (this.#live && this.#current === null && this.#pending === null) this.#next();
    this.#changed();
  }

  #next(): void {
    const heard = this.#ledger.uris();
    if (heard.some((uri) => this.#source.standing(uri) === 'checking')) return;
    const owed = heard.map((uri) => this.#owedHead(uri)).find((head) => head !== null) ?? null;
    const uri = owed === null ? this.#queue.shift() : undefined;
    if (owed !== null) {
      this.#retract(owed);
    } else if (uri !== undefined) {
      this.#pending = { uri, kind: 'fact' };
      this.#source.refresh(uri);
    }
  }

  #owedHead(uri: string): Fact | null {
    const head = this.#source.fact(uri);
    if (head === null || this.#source.standing(uri) !== 'confirmed') return null;
    return this.#ledger.owes(uri, head.version) ? head : null;
  }

  #retract(head: Fact): void {
    const from = this.#ledger.version(head.uri);
    if (from === null) return;
    if (from === head.version - 1 && head.retraction !== null) {
      this.#begin(retractionUtterance(head, head.retraction));
      return;
    }
    const pending = { uri: head.uri, kind: 'retraction' } as const;
    this.#pending = pending;
    void this.#source.retractionFrom(head.uri, from).then((sentence) => {
      if (this.#pending === pending) this.#retractWith(head, sentence);
    });
  }

  #retractWith(head: Fact, sentence: string | null): void {
    this.#pending = null;
    // A withdrawn fact's older versions are absent; the sentence on its head is the one there is.
    const words = sentence ?? (head.kind === 'withdraw' ? head.retraction : null);
    const overtaken = this.#owedHead(head.uri)?.version !== head.version;
    if (!overtaken && words !== null) this.#begin(retractionUtterance(head, words));
    if (!overtaken && words === null) {
      this.#ledger.waive(head.uri, head.version);
      this.#giveUp({ kind: 'no-retraction', uri: head.uri });
    }
    this.#proceed();
  }

  #begin(utterance: Utterance): void {
    if (!explains(this.#cut, utterance)) this.#cut = null;
    this.#notice = NO_NOTICE;
    this.#shown = utterance;
    this.#state = utterance.kind === 'retraction' ? 'retracting' : 'speaking';
    const current: Current = { utterance, word: -1, heard: 0, saying: null };
    this.#current = current;
    current.saying = this.#engine.say(utterance.text, {
      word: (index) => this.#reach(current, index),
      ended: () => this.#end(current),
      failed: () => this.#fail(current),
    });
  }

  #reach(current: Current, index: number): void {
    current.word = index;
    current.heard = Math.max(current.heard, index + 1);
    const { uri, version, newFrom } = current.utterance;
    if (index >= newFrom) this.#ledger.hear(uri, version);
    this.#changed();
  }

  #end(current: Current): void {
    const { utterance } = current;
    if (utterance.words.length > 0) this.#ledger.hear(utterance.uri, utterance.version);
    this.#current = null;
    this.#state = 'done';
    this.#record(utterance, utterance.words.length, null);
    // The new words were just given, so an earlier wish to hear this fact is met.
    if (utterance.kind === 'retraction') this.#queue = this.#queue.filter((uri) => uri !== utterance.uri);
    this.#proceed();
  }

  #fail(current: Current): void {
    this.#stopSaying('stopped');
    this.#giveUp({ kind: 'unconfirmed', uri: current.utterance.uri });
    this.#changed();
  }

  #stopSaying(reason: CutReason): void {
    const current = this.#current;
    if (current === null) return;
    current.saying?.stop();
    this.#current = null;
    this.#state = 'cut';
    this.#cut = { utterance: current.utterance, heard: current.heard, reason };
    this.#record(current.utterance, current.heard, reason);
  }

  #record(utterance: Utterance, heard: number, cut: CutReason | null): void {
    if (heard > 0) this.#said.push({ at: this.#now(), utterance, heard, cut });
  }
}

/** Whether a cut is why this sentence is said: a person heard the beginning of what it takes back. */
function explains(cut: Cut | null, utterance: Utterance): boolean {
  return cut !== null && cut.reason === 'changed' && cut.heard > 0 && cut.utterance.uri === utterance.uri;
}
