import { topicOf } from '../live/fact.ts';
import { timeOf } from '../page/connection-view.ts';
import { byId, element } from '../page/element.ts';
import type { SaidEntry } from './utterance.ts';

/** The log of what was said, newest first. */
export class SaidView {
  readonly #list = byId('said');
  readonly #empty = byId('nothing-said');
  #shown = 0;

  show(entries: readonly SaidEntry[]): void {
    for (const entry of entries.slice(this.#shown)) this.#list.prepend(line(entry));
    this.#shown = entries.length;
    this.#empty.hidden = entries.length > 0;
  }
}

function line({ at, utterance, heard, cut }: SaidEntry): HTMLElement {
  const { kind, uri, version, text, words } = utterance;
  const what = kind === 'retraction' ? `Taken back, now version ${version}` : `Version ${version}`;
  const how = cut === null ? 'said in full' : `cut after ${heard} of ${words.length} words`;
  const outcome = cut ?? 'said';
  return element(
    'li',
    { 'data-uri': uri, 'data-version': String(version), 'data-kind': kind, 'data-outcome': outcome },
    element('p', { class: 'small' }, `${timeOf(at)} · ${topicOf(uri)} · ${what} · ${how}`),
    element('p', {}, cut === null ? text : `${text.slice(0, words[heard - 1]?.end ?? 0)} —`),
  );
}
