import type { Cancel, Scheduler } from '../page/scheduler.ts';
import type { Saying, SpeechEngine, SpeechHooks } from './engine.ts';
import { paceWords } from './silent-engine.ts';
import { type Word, wordAt, wordsOf } from './words.ts';

/** How long a voice may take to begin before it counts as one that never will. */
const BEGIN_MS = 3_000;
/** How long after its beginning a voice is given to name its words before they are marked by estimate. */
const BOUNDARY_MS = 900;

/** The parts of `speechSynthesis` that are used. */
export interface Synthesis {
  speak(utterance: SpeechSynthesisUtterance): void;
  cancel(): void;
  resume(): void;
}

/** Speaks with a voice of this machine and marks each word as the voice reaches it. */
export function voiceEngine(options: {
  readonly synthesis: Synthesis;
  readonly utterance: (text: string) => SpeechSynthesisUtterance;
  readonly scheduler: Scheduler;
}): SpeechEngine {
  return {
    kind: 'voice',
    say(text, hooks): Saying {
      const saying = new VoiceSaying(text, hooks, options.synthesis, options.scheduler);
      saying.begin(options.utterance(text));
      return saying;
    },
  };
}

class VoiceSaying implements Saying {
  readonly #words: readonly Word[];
  readonly #hooks: SpeechHooks;
  readonly #synthesis: Synthesis;
  readonly #scheduler: Scheduler;
  #over = false;
  #last = -1;
  #cancelTimer: Cancel = () => {};

  constructor(text: string, hooks: SpeechHooks, synthesis: Synthesis, scheduler: Scheduler) {
    this.#words = wordsOf(text);
    this.#hooks = hooks;
    this.#synthesis = synthesis;
    this.#scheduler = scheduler;
  }

  begin(utterance: SpeechSynthesisUtterance): void {
    this.#cancelTimer = this.#scheduler.after(BEGIN_MS, () => this.#fail());
    utterance.onstart = () => {
      if (this.#over || this.#last >= 0) return;
      this.#cancelTimer();
      this.#cancelTimer = this.#scheduler.after(BOUNDARY_MS, () => this.#estimate());
      this.#reach(0);
    };
    utterance.onboundary = (event) => {
      if (event.name !== undefined && event.name !== '' && event.name !== 'word') return;
      this.#cancelTimer();
      this.#reach(wordAt(this.#words, event.charIndex));
    };
    utterance.onend = () => this.#finish(() => this.#hooks.ended());
    utterance.onerror = () => this.#fail();
    // A paused queue, left by an earlier page, would hold the sentence for ever.
    this.#synthesis.resume();
    this.#synthesis.speak(utterance);
  }

  stop(): void {
    if (this.#over) return;
    this.#finish(() => {});
    this.#synthesis.cancel();
  }

  /** A voice that names no words: mark them by the usual rate, and let the voice say when it has ended. */
  #estimate(): void {
    const left = this.#words.length - 1 - this.#last;
    const from = this.#last + 1;
    this.#cancelTimer = paceWords(left, this.#scheduler, {
      word: (index) => this.#reach(from + index),
      ended: () => {},
    });
  }

  #reach(index: number): void {
    if (this.#over || index <= this.#last) return;
    this.#last = index;
    this.#hooks.word(index);
  }

  #fail(): void {
    if (this.#over) return;
    this.#finish(() => {});
    this.#synthesis.cancel();
    this.#hooks.failed();
  }

  #finish(then: () => void): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelTimer();
    then();
  }
}
