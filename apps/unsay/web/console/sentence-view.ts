import { element, setText } from '../page/element.ts';
import type { PreviewState } from './preview-request.ts';

/** Shows what listeners would hear, in the server's words, or why it cannot be shown. */
export class SentenceView {
  readonly #root: HTMLElement;
  readonly #about = element('p', { class: 'small' });
  readonly #retraction: HTMLElement;
  readonly #spokenAbout = element('p', { class: 'small' }, 'Whoever asks afterwards will hear');
  readonly #spoken: HTMLElement;

  constructor(root: HTMLElement, testIds: { readonly retraction: string; readonly spoken: string }) {
    this.#root = root;
    this.#retraction = element('blockquote', { 'data-testid': testIds.retraction });
    this.#spoken = element('blockquote', { 'data-testid': testIds.spoken });
    root.append(this.#about, this.#retraction, this.#spokenAbout, this.#spoken);
  }

  /** `heard` is the version that listeners know. */
  show(state: PreviewState, heard: number): void {
    this.#root.dataset.state = state.kind;
    this.#root.hidden = state.kind === 'idle';
    const retraction = state.kind === 'sentences' ? state.retraction : null;
    const spoken = state.kind === 'sentences' ? state.spoken : null;
    setText(this.#about, aboutOf(state, heard));
    put(this.#retraction, retraction);
    put(this.#spoken, spoken);
    this.#spokenAbout.hidden = spoken === null;
  }
}

function put(target: HTMLElement, sentence: string | null): void {
  target.hidden = sentence === null;
  setText(target, sentence ?? '');
}

function aboutOf(state: PreviewState, heard: number): string {
  switch (state.kind) {
    case 'idle':
      return '';
    case 'asking':
      return 'What listeners will hear is being asked of the server…';
    case 'sentences':
      return state.retraction === null
        ? 'Nobody has heard this fact before.'
        : `Whoever heard version ${heard} will hear`;
    case 'none':
      return `What listeners will hear cannot be shown: ${state.why}`;
  }
}
