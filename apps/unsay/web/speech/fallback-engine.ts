import type { Saying, SpeechEngine } from './engine.ts';

/** Says with `first` until it fails once; then that sentence again from its beginning, and all others, with `second`. */
export function fallbackEngine(first: SpeechEngine, second: SpeechEngine): SpeechEngine {
  let chosen = first;
  return {
    get kind() {
      return chosen.kind;
    },
    say(text, hooks): Saying {
      let saying = chosen.say(text, {
        ...hooks,
        failed: () => {
          if (chosen === second) return hooks.failed();
          chosen = second;
          saying = second.say(text, hooks);
        },
      });
      return { stop: () => saying.stop() };
    },
  };
}
