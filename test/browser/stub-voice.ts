/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** A voice that says a word when the test says so. */
export interface StubVoice {
  /** What was asked of it: `speak …` and `cancel`. */
  readonly calls: string[];
  /** Reaches a word of the sentence spoken last, even of one that was cancelled, as a late event would. */
  reach(word: number): void;
  /** Says every word that is left, and ends the sentence. */
  finish(): void;
}

declare global {
  interface Window {
    stubVoice: StubVoice;
  }
}

/** Gives a page an English voice of its own machine. Call before the page is opened. */
export async function stubVoice(page: Page): Promise<void> {
  await page.addInitScript(() => {
    class Utterance {
      readonly text: string;
      voice: unknown = null;
      lang = '';
      onstart: (() => void) | null = null;
      onboundary: ((event: { name: string; charIndex: number }) => void) | null = null;
      onend: (() => void) | null = null;
      onerror: ((event: { error: string }) => void) | null = null;
      constructor(text: string) {
        this.text = text;
      }
    }
    let spoken: Utterance | null = null;
    const calls: string[] = [];
    const starts = (text: string): number[] => [...text.matchAll(/\S+/gu)].map(({ index }) => index);
    function reach(word: number): void {
      const charIndex = starts(spoken?.text ?? '')[word];
      if (charIndex !== undefined) spoken?.onboundary?.({ name: 'word', charIndex });
    }
    const synthesis = Object.assign(new EventTarget(), {
      getVoices: () => [{ name: 'Stub', lang: 'en-GB', localService: true, default: true }],
      speak(utterance: Utterance) {
        calls.push(`speak ${utterance.text}`);
        spoken = utterance;
        queueMicrotask(() => {
          utterance.onstart?.();
          reach(0);
        });
      },
      cancel() {
        calls.push('cancel');
        spoken?.onerror?.({ error: 'interrupted' });
      },
      resume() {},
    });
    Object.defineProperty(window, 'speechSynthesis', { value: synthesis });
    Object.defineProperty(window, 'SpeechSynthesisUtterance', { value: Utterance });
    window.stubVoice = {
      calls,
      reach,
      finish() {
        for (const word of starts(spoken?.text ?? '').keys()) reach(word);
        spoken?.onend?.();
      },
    };
  });
}
