import type { Scheduler } from '../page/scheduler.ts';
import type { SpeechEngine } from './engine.ts';
import { fallbackEngine } from './fallback-engine.ts';
import { silentEngine } from './silent-engine.ts';
import { voiceEngine } from './voice-engine.ts';

/** Browsers load their voices after the page; this is how long they are given. */
const VOICES_MS = 800;

/** What a page needs to know of a voice. */
export type Voice = Pick<SpeechSynthesisVoice, 'lang' | 'localService' | 'default'>;

/**
 * The voice to use, or null where none will do. It has to speak English, and it has to live on this machine:
 * a network voice would send each sentence about a person to a company.
 */
export function usableVoice<V extends Voice>(voices: readonly V[]): V | null {
  const usable = voices.filter(({ lang, localService }) => localService && /^en([-_]|$)/i.test(lang));
  return usable.find((voice) => voice.default) ?? usable[0] ?? null;
}

/** An engine for this browser: a voice where there is a usable one, else captions in silence. */
export async function chooseEngine(scheduler: Scheduler): Promise<SpeechEngine> {
  const silent = silentEngine(scheduler);
  if (!('speechSynthesis' in window)) return silent;
  const voice = usableVoice(await voicesOf(speechSynthesis, scheduler));
  if (voice === null) return silent;
  const utterance = (text: string): SpeechSynthesisUtterance => {
    const made = new SpeechSynthesisUtterance(text);
    made.voice = voice;
    made.lang = voice.lang;
    return made;
  };
  return fallbackEngine(voiceEngine({ synthesis: speechSynthesis, utterance, scheduler }), silent);
}

function voicesOf(
  synthesis: SpeechSynthesis,
  scheduler: Scheduler,
): Promise<readonly SpeechSynthesisVoice[]> {
  const voices = synthesis.getVoices();
  if (voices.length > 0) return Promise.resolve(voices);
  return new Promise((resolve) => {
    const settle = (): void => {
      cancel();
      synthesis.removeEventListener('voiceschanged', settle);
      resolve(synthesis.getVoices());
    };
    const cancel = scheduler.after(VOICES_MS, settle);
    synthesis.addEventListener('voiceschanged', settle);
  });
}
