import { beforeEach, expect, test } from 'vitest';
import { VirtualScheduler } from '../page/virtual-scheduler.ts';
import type { SpeechEngine } from './engine.ts';
import { fallbackEngine } from './fallback-engine.ts';
import { silentEngine } from './silent-engine.ts';
import { type Synthesis, voiceEngine } from './voice-engine.ts';

/** The members of an utterance that the engine sets, as a browser would call them. */
class Utterance {
  onstart: (() => void) | null = null;
  onboundary: ((event: { name: string; charIndex: number }) => void) | null = null;
  onend: (() => void) | null = null;
  onerror: (() => void) | null = null;
}

class Browser implements Synthesis {
  readonly spoken: unknown[] = [];
  cancelled = 0;
  speak(utterance: unknown): void {
    this.spoken.push(utterance);
  }
  cancel(): void {
    this.cancelled += 1;
  }
  resume(): void {}
}

let scheduler: VirtualScheduler;
let browser: Browser;
let utterance: Utterance;
let engine: SpeechEngine;
let heard: string[];

const hooks = {
  word: (index: number) => void heard.push(`word ${index}`),
  ended: () => void heard.push('ended'),
  failed: () => void heard.push('failed'),
};

beforeEach(() => {
  scheduler = new VirtualScheduler();
  browser = new Browser();
  utterance = new Utterance();
  heard = [];
  const made: unknown = utterance;
  engine = voiceEngine({
    synthesis: browser,
    utterance: () => made as SpeechSynthesisUtterance,
    scheduler,
  });
});

test('each word is marked as the voice reaches it', () => {
  engine.say('one two three', hooks);
  utterance.onstart?.();
  utterance.onboundary?.({ name: 'word', charIndex: 0 });
  utterance.onboundary?.({ name: 'word', charIndex: 4 });
  utterance.onboundary?.({ name: 'sentence', charIndex: 8 });
  utterance.onboundary?.({ name: 'word', charIndex: 8 });
  utterance.onend?.();
  expect(heard).toEqual(['word 0', 'word 1', 'word 2', 'ended']);
  expect(scheduler.waiting).toBe(0);
});

test('a voice that names no words has them marked by estimate, and ends when it says so', () => {
  engine.say('one two three four', hooks);
  utterance.onstart?.();
  scheduler.advance(899);
  expect(heard).toEqual(['word 0']);
  scheduler.advance(401);
  expect(heard).toEqual(['word 0', 'word 1', 'word 2']);
  scheduler.advance(60_000);
  expect(heard).toEqual(['word 0', 'word 1', 'word 2', 'word 3']);
  utterance.onend?.();
  expect(heard.at(-1)).toBe('ended');
});

test('a late boundary takes over from the estimate and never goes back', () => {
  engine.say('one two three four', hooks);
  utterance.onstart?.();
  scheduler.advance(1_300);
  utterance.onboundary?.({ name: 'word', charIndex: 4 });
  utterance.onboundary?.({ name: 'word', charIndex: 14 });
  scheduler.advance(60_000);
  expect(heard).toEqual(['word 0', 'word 1', 'word 2', 'word 3']);
});

test('stop silences the browser at once, and nothing is told after it', () => {
  const saying = engine.say('one two', hooks);
  utterance.onstart?.();
  saying.stop();
  utterance.onboundary?.({ name: 'word', charIndex: 4 });
  utterance.onerror?.();
  utterance.onend?.();
  scheduler.advance(60_000);
  expect(heard).toEqual(['word 0']);
  expect(browser.cancelled).toBe(1);
});

test('a voice that never begins has failed', () => {
  engine.say('one two', hooks);
  scheduler.advance(3_000);
  expect(heard).toEqual(['failed']);
});

test('when the voice fails, the sentence is shown in silence from its beginning', () => {
  const both = fallbackEngine(engine, silentEngine(scheduler));
  both.say('one two', hooks);
  expect(both.kind).toBe('voice');
  utterance.onstart?.();
  utterance.onerror?.();
  expect(both.kind).toBe('silent');
  scheduler.advance(800);
  expect(heard).toEqual(['word 0', 'word 0', 'word 1', 'ended']);
  both.say('three', hooks);
  expect(browser.spoken).toHaveLength(1);
});
