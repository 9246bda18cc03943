import type { Cancel, Scheduler } from '../page/scheduler.ts';
import type { Saying, SpeechEngine, SpeechHooks } from './engine.ts';
import { wordsOf } from './words.ts';

/** About 150 words a minute, the rate at which instructions are read aloud. */
export const MS_PER_WORD = 400;

/**
 * Marks words at the rate of speech. Word times come from the clock, not from a count of timers, so a page
 * that was held up in the background catches up.
 */
export function paceWords(words: number, scheduler: Scheduler, hooks: Omit<SpeechHooks, 'failed'>): Cancel {
  const began = scheduler.now();
  let next = 0;
  let cancel = scheduler.after(0, tick);
  function tick(): void {
    const elapsed = scheduler.now() - began;
    const index = Math.floor(elapsed / MS_PER_WORD);
    if (index >= words) {
      hooks.ended();
      return;
    }
    next = index + 1;
    cancel = scheduler.after(next * MS_PER_WORD - elapsed, tick);
    hooks.word(index);
  }
  return () => cancel();
}

/** Says nothing aloud and keeps the timing of speech, for captions where there is no voice. */
export function silentEngine(scheduler: Scheduler): SpeechEngine {
  return {
    kind: 'silent',
    say(text, hooks): Saying {
      return { stop: paceWords(wordsOf(text).length, scheduler, hooks) };
    },
  };
}
