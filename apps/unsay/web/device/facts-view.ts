import type { Fact } from '../live/fact.ts';
import { topicOf } from '../live/fact.ts';
import type { Standing } from '../live/fact-reader.ts';
import { ageInWords } from '../page/age.ts';
import { byId, element, setText } from '../page/element.ts';

interface Row {
  readonly root: HTMLElement;
  readonly value: HTMLElement;
  readonly about: HTMLElement;
  readonly mark: HTMLElement;
  readonly button: HTMLButtonElement;
  readonly clip: HTMLButtonElement;
}

/** What a row needs besides its fact. */
export interface RowStanding {
  readonly standing: Standing;
  readonly live: boolean;
  readonly queued: boolean;
  readonly speaking: boolean;
  /** Nothing is said, nor about to be. */
  readonly silent: boolean;
  /** Its clip is being played. */
  readonly playing: boolean;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
}

/** What a person asks for in a row. */
export interface RowActions {
  readonly say: (uri: string) => void;
  readonly toggleClip: (uri: string) => void;
}

/** The list of facts. Rows stay where they are, so that a focused button keeps its focus. */
export class FactsView {
  readonly #list = byId('facts');
  readonly #empty = byId('no-facts');
  readonly #rows = new Map<string, Row>();
  readonly #actions: RowActions;

  constructor(actions: RowActions) {
    this.#actions = actions;
  }

  show(facts: readonly Fact[], standingOf: (fact: Fact) => RowStanding): void {
    const uris = new Set(facts.map(({ uri }) => uri));
    for (const [uri, row] of this.#rows) {
      if (uris.has(uri)) continue;
      row.root.remove();
      this.#rows.delete(uri);
    }
    for (const [index, fact] of facts.entries()) {
      const row = this.#rows.get(fact.uri) ?? this.#make(fact.uri);
      const place = this.#list.children[index] ?? null;
      if (place !== row.root) this.#list.insertBefore(row.root, place);
      fill(row, fact, standingOf(fact));
    }
    this.#empty.hidden = facts.length > 0;
  }

  #make(uri: string): Row {
    const topic = topicOf(uri);
    const row: Row = {
      root: element('li', { 'data-testid': 'fact', 'data-uri': uri, class: 'fact' }),
      value: element('p', { class: 'value' }),
      about: element('p', { class: 'small' }),
      mark: element('span', { class: 'tag warn' }),
      button: element(
        'button',
        { type: 'button', 'data-testid': 'say', 'aria-label': `Say it: ${topic}` },
        'Say it',
      ),
      clip: element('button', { type: 'button', 'data-testid': 'clip' }),
    };
    onPress(row.button, () => this.#actions.say(uri));
    onPress(row.clip, () => this.#actions.toggleClip(uri));
    row.root.append(
      element('div', {}, element('h3', {}, topic, ' ', row.mark), row.value, row.about),
      row.button,
      row.clip,
    );
    this.#rows.set(uri, row);
    return row;
  }
}

function onPress(button: HTMLButtonElement, act: () => void): void {
  button.addEventListener('click', () => {
    if (button.getAttribute('aria-disabled') !== 'true') act();
  });
}

function fill(row: Row, fact: Fact, state: RowStanding): void {
  const { standing, live, queued, speaking, now } = state;
  const { root, value, about, mark, button } = row;
  root.dataset.version = String(fact.version);
  root.dataset.standing = live ? standing : 'unconfirmed';
  root.dataset.stale = String(fact.stale);
  root.classList.toggle('speaking', speaking);
  setText(value, fact.value === '' ? fact.spoken : fact.value);
  setText(
    about,
    `Version ${fact.version} · changed ${ageInWords(Date.parse(fact.lastModified), now)} by ${fact.author}`,
  );
  setText(mark, markOf(fact, standing, live));
  mark.hidden = mark.textContent === '';
  setText(button, queued ? 'Waiting' : 'Say it');
  button.setAttribute('aria-disabled', String(!live || queued || speaking));
  fillClip(row.clip, fact, state);
}

function fillClip(button: HTMLButtonElement, fact: Fact, { live, silent, playing }: RowStanding): void {
  const words = playing ? 'Stop the clip' : 'Play the clip';
  button.hidden = fact.clip === null;
  button.setAttribute('aria-label', `${words}: ${topicOf(fact.uri)}`);
  button.setAttribute('aria-disabled', String(!live || !silent));
  setText(button, words);
}

function markOf(fact: Fact, standing: Standing, live: boolean): string {
  if (live && standing === 'checking') return 'Changed — being read again';
  if (live && standing === 'unconfirmed') return 'Cannot be confirmed';
  if (fact.kind === 'withdraw') return 'Withdrawn';
  return fact.stale ? 'Past its review date' : '';
}
