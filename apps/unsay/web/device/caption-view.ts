import { topicOf } from '../live/fact.ts';
import { byId, element, setText } from '../page/element.ts';
import type { SpeechEngine } from '../speech/engine.ts';
import type { Caption, Notice } from './speaker.ts';
import type { Cut, CutReason, Utterance } from './utterance.ts';

const LABELS: Readonly<Record<Caption['state'], string>> = {
  idle: 'Ready',
  speaking: 'Saying',
  cut: 'Cut short',
  retracting: 'Taking it back',
  done: 'Said',
};

const INVITATION = 'Press “Say all”, or “Say it” beside a fact.';
const WAIT = 'Nothing can be said before this page is connected.';

const REASONS: Readonly<Record<CutReason, string>> = {
  changed: 'It has just been changed.',
  gone: 'It is no longer given to this device.',
  disconnected: 'The connection was lost, so it may no longer hold.',
  stopped: 'You pressed Stop.',
};

/** Shows what is being said: its words with the current one marked, what was cut, and what cannot be said. */
export class CaptionView {
  readonly #root = byId('caption');
  readonly #label = byId('caption-label');
  readonly #topic = byId('caption-topic');
  readonly #words = byId('words');
  readonly #cut = byId('cut');
  readonly #notice = byId('speech-notice');
  readonly #announcer = byId('announcer');
  #shown: Utterance | null = null;
  #shownCut: Cut | null = null;
  #marked: HTMLElement | null = null;

  show(caption: Caption, engine: SpeechEngine['kind'], live: boolean): void {
    const began = caption.state !== this.#root.dataset.state || caption.utterance !== this.#shown;
    this.#root.dataset.state = caption.state;
    this.#root.dataset.engine = engine;
    this.#root.dataset.uri = caption.uri ?? '';
    this.#root.dataset.word = String(caption.word ?? '');
    setText(this.#label, labelOf(caption, live));
    setText(this.#topic, caption.uri === null ? '' : topicOf(caption.uri));
    this.#showCut(caption);
    this.#showWords(caption);
    if (caption.utterance === null) setText(this.#words, live ? INVITATION : WAIT);
    this.#mark(caption.word);
    setText(this.#notice, noticeText(caption.notice));
    this.#notice.hidden = caption.notice.kind === 'none';
    setText(this.#announcer, announcement(caption, engine));
    const matters = caption.state !== 'idle' && caption.state !== 'done';
    if (began && matters && !isInSight(this.#label)) this.#root.scrollIntoView({ block: 'start' });
  }

  #showWords({ state, utterance }: Caption): void {
    this.#words.hidden = state === 'cut' && utterance !== null;
    if (utterance === this.#shown && utterance !== null) return;
    this.#shown = utterance;
    this.#marked = null;
    this.#words.dataset.testid = utterance?.kind === 'retraction' ? 'retraction' : 'words';
    if (utterance === null) return;
    const spans = utterance.words.flatMap(({ text }, index) => [
      element('span', { 'data-word-index': String(index) }, text),
      ' ',
    ]);
    this.#words.replaceChildren(...spans);
  }

  #mark(word: number | null): void {
    const next = word === null ? null : this.#words.querySelector<HTMLElement>(`[data-word-index="${word}"]`);
    if (next === this.#marked) return;
    if (this.#marked !== null) this.#marked.replaceChildren(this.#marked.textContent ?? '');
    if (next !== null) {
      // Keeps up with a long sentence for whoever follows it, and leaves alone whoever has scrolled away.
      const follows = this.#marked === null || isInSight(this.#marked);
      next.replaceChildren(element('mark', {}, next.textContent ?? ''));
      if (follows) next.scrollIntoView({ block: 'nearest' });
    }
    this.#marked = next;
  }

  #showCut({ cut }: Caption): void {
    if (cut === this.#shownCut) return;
    this.#shownCut = cut;
    this.#cut.hidden = cut === null;
    this.#cut.replaceChildren(...(cut === null ? [] : cutParts(cut)));
  }
}

function labelOf({ state, checking }: Caption, live: boolean): string {
  if (state === 'idle' && !live) return 'Not ready';
  return checking && state !== 'cut' ? 'Checking' : LABELS[state];
}

function isInSight(target: Element): boolean {
  const { top, bottom } = target.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}

function cutParts({ utterance, heard, reason }: Cut): Node[] {
  const { before, after } = split(utterance, heard);
  const count = utterance.words.length;
  const summary =
    heard === 0
      ? `Stopped before its first word was said. ${REASONS[reason]}`
      : `Stopped after ${heard} of ${count} words. ${REASONS[reason]}`;
  const heardPart = element('p', {}, element('span', { class: 'tag' }, 'Heard'), ` ${before || 'nothing'}`);
  const restPart = element(
    'p',
    {},
    element('span', { class: 'tag' }, 'Not heard'),
    ' ',
    element('s', {}, after),
  );
  return [element('p', { class: 'cut-summary' }, summary), heardPart, ...(after === '' ? [] : [restPart])];
}

function split({ text, words }: Utterance, heard: number): { before: string; after: string } {
  const at = heard === 0 ? 0 : (words[heard - 1]?.end ?? text.length);
  return { before: text.slice(0, at).trim(), after: text.slice(at).trim() };
}

function noticeText(notice: Notice): string {
  switch (notice.kind) {
    case 'none':
      return '';
    case 'unconfirmed':
      return `“${topicOf(notice.uri)}” was taken out of speech, and what holds now cannot be confirmed. Do not rely on what was heard; ask your care team.`;
    case 'gone':
      return `“${topicOf(notice.uri)}” is no longer given to this device. Do not rely on what was heard; ask your care team.`;
    case 'no-retraction':
      return `“${topicOf(notice.uri)}” has changed since it was heard, and no sentence that takes it back could be had. Read it below, or ask your care team.`;
  }
}

/** For a screen reader. Where a voice speaks the words, they are not spoken a second time. */
function announcement({ state, utterance, cut, notice }: Caption, engine: SpeechEngine['kind']): string {
  if (notice.kind !== 'none') return noticeText(notice);
  if (state === 'cut' && cut !== null) return `Cut after ${cut.heard} words. ${REASONS[cut.reason]}`;
  const saying = state === 'speaking' || state === 'retracting';
  return saying && engine === 'silent' && utterance !== null ? utterance.text : '';
}
