import { topicOf } from '../live/fact.ts';
import { byId, setText } from '../page/element.ts';
import type { ClipState, ClipStop } from './clip-player.ts';

const REASONS: Readonly<Record<ClipStop, string>> = {
  changed: 'it has just been changed.',
  gone: 'it is no longer given to this device.',
  disconnected: 'the connection was lost, so it may no longer hold.',
  unconfirmed: 'what holds now cannot be confirmed.',
  stopped: 'you pressed Stop.',
  speech: 'words come first.',
  unplayable: 'this browser cannot play it.',
};

/** Says what is played, or why it was stopped. */
export class ClipView {
  readonly #note = byId('clip-note');

  show(state: ClipState): void {
    this.#note.hidden = state.kind === 'idle';
    this.#note.dataset.state = state.kind;
    this.#note.dataset.uri = state.kind === 'idle' ? '' : state.uri;
    this.#note.dataset.reason = state.kind === 'stopped' ? state.reason : '';
    setText(this.#note, textOf(state));
  }
}

function textOf(state: ClipState): string {
  switch (state.kind) {
    case 'idle':
      return '';
    case 'checking':
      return `Checking “${topicOf(state.uri)}” before its clip is played.`;
    case 'playing':
      return `Playing the clip of “${topicOf(state.uri)}”.`;
    case 'stopped':
      return `The clip of “${topicOf(state.uri)}” was stopped: ${REASONS[state.reason]}`;
  }
}
