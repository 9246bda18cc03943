import type { Clip, Fact } from '../live/fact.ts';
import type { ReaderEvents } from '../live/fact-reader.ts';
import type { ClipEngine } from './clip-engine.ts';

/** Why a clip is not heard to its end. */
export type ClipStop =
  | 'changed'
  | 'gone'
  | 'disconnected'
  | 'unconfirmed'
  | 'stopped'
  | 'speech'
  | 'unplayable';

/** What the page shows of clips. */
export type ClipState =
  | { readonly kind: 'idle' }
  /** The fact is being read, so that nothing is played that no longer holds. */
  | { readonly kind: 'checking'; readonly uri: string }
  | { readonly kind: 'playing'; readonly uri: string }
  | { readonly kind: 'stopped'; readonly uri: string; readonly reason: ClipStop };

interface Current {
  readonly fact: Fact;
  stop: () => void;
}

/**
 * Plays the clips of facts by the rules of their words: read a moment before, stopped at the announcement of a
 * change, and never over speech.
 */
export class ClipPlayer implements ReaderEvents {
  readonly #engine: ClipEngine;
  readonly #refresh: (uri: string) => void;
  readonly #changed: () => void;
  #state: ClipState = { kind: 'idle' };
  #current: Current | null = null;

  constructor(options: { engine: ClipEngine; refresh: (uri: string) => void; changed: () => void }) {
    this.#engine = options.engine;
    this.#refresh = options.refresh;
    this.#changed = options.changed;
  }

  get state(): ClipState {
    return this.#state;
  }

  get busy(): boolean {
    return this.#state.kind === 'checking' || this.#state.kind === 'playing';
  }

  /** Plays the clip that the fact has once it has been read again. Call it from a person's gesture. */
  play(uri: string): void {
    this.#halt();
    this.#engine.prepare();
    this.#enter({ kind: 'checking', uri });
    this.#refresh(uri);
  }

  /** A person asks for silence, or speech begins. */
  stop(reason: 'stopped' | 'speech' | 'disconnected'): void {
    if (this.#state.kind === 'checking' || this.#state.kind === 'playing') this.#end(this.#state.uri, reason);
  }

  suspect(uri: string): void {
    if (this.#current?.fact.uri === uri) this.#end(uri, 'changed');
  }

  confirmed(fact: Fact): void {
    const playing = this.#current?.fact;
    if (playing?.uri === fact.uri && playing.version < fact.version) this.#end(fact.uri, 'changed');
    if (this.#state.kind !== 'checking' || this.#state.uri !== fact.uri) return;
    if (fact.clip === null) this.#end(fact.uri, 'changed');
    else this.#begin(fact, fact.clip);
  }

  unconfirmed(uri: string): void {
    if (this.busy && this.#state.kind !== 'idle' && this.#state.uri === uri) this.#end(uri, 'unconfirmed');
  }

  absent(uri: string): void {
    if (this.busy && this.#state.kind !== 'idle' && this.#state.uri === uri) this.#end(uri, 'gone');
  }

  #begin(fact: Fact, { base64 }: Clip): void {
    const current: Current = { fact, stop: () => {} };
    this.#current = current;
    this.#enter({ kind: 'playing', uri: fact.uri });
    const playing = this.#engine.play(
      Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)),
      {
        ended: () => this.#finished(current, { kind: 'idle' }),
        failed: () => this.#finished(current, { kind: 'stopped', uri: fact.uri, reason: 'unplayable' }),
      },
    );
    current.stop = playing.stop;
  }

  #finished(current: Current, state: ClipState): void {
    if (this.#current !== current) return;
    this.#current = null;
    this.#enter(state);
  }

  #end(uri: string, reason: ClipStop): void {
    this.#halt();
    this.#enter({ kind: 'stopped', uri, reason });
  }

  #halt(): void {
    this.#current?.stop();
    this.#current = null;
  }

  #enter(state: ClipState): void {
    this.#state = state;
    this.#changed();
  }
}
