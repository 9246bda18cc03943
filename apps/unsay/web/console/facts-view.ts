import { type Fact, maySpeak, topicOf } from '../live/fact.ts';
import type { Standing } from '../live/fact-reader.ts';
import { ageInWords } from '../page/age.ts';
import { byId, element, setText } from '../page/element.ts';

interface Row {
  readonly root: HTMLElement;
  readonly value: HTMLElement;
  readonly age: HTMLElement;
  readonly author: HTMLElement;
  readonly version: HTMLElement;
  readonly mark: HTMLElement;
  readonly edit: HTMLButtonElement;
  readonly history: HTMLButtonElement;
}

/** What a person asks for in a row. */
export interface RowActions {
  readonly edit: (uri: string) => void;
  readonly history: (uri: string) => void;
}

/** What a row needs besides its fact. */
export interface RowState {
  readonly standing: Standing;
  readonly live: boolean;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: number;
}

/** The two lists of facts, spoken and internal, never mixed. */
export class FactsView {
  readonly #rows = new Map<string, Row>();
  readonly #actions: RowActions;

  constructor(actions: RowActions) {
    this.#actions = actions;
  }

  show(facts: readonly Fact[], stateOf: (fact: Fact) => RowState): void {
    const uris = new Set(facts.map(({ uri }) => uri));
    for (const [uri, row] of this.#rows) {
      if (uris.has(uri)) continue;
      row.root.remove();
      this.#rows.delete(uri);
    }
    const spoken = facts.filter(({ uri }) => maySpeak(uri));
    const internal = facts.filter(({ uri }) => !maySpeak(uri));
    this.#fill(byId('spoken'), byId('no-spoken'), spoken, stateOf);
    this.#fill(byId('internal'), byId('no-internal'), internal, stateOf);
  }

  focus(uri: string, on: keyof RowActions): void {
    this.#rows.get(uri)?.[on].focus();
  }

  #fill(
    list: HTMLElement,
    empty: HTMLElement,
    facts: readonly Fact[],
    stateOf: (fact: Fact) => RowState,
  ): void {
    for (const [index, fact] of facts.entries()) {
      const row = this.#rows.get(fact.uri) ?? this.#make(fact.uri);
      const place = list.children[index] ?? null;
      if (place !== row.root) list.insertBefore(row.root, place);
      fill(row, fact, stateOf(fact));
    }
    empty.hidden = facts.length > 0;
  }

  #make(uri: string): Row {
    const topic = topicOf(uri);
    const row: Row = {
      root: element('li', { class: 'fact', 'data-testid': 'fact', 'data-uri': uri }),
      value: element('p', { class: 'value' }),
      age: element('span', { 'data-testid': 'age' }),
      author: element('span', { 'data-testid': 'author' }),
      version: element('span', {}),
      mark: element('span', { class: 'tag warn' }),
      edit: button('edit', `Edit: ${topic}`, 'Edit'),
      history: button('open-history', `History: ${topic}`, 'History'),
    };
    row.edit.addEventListener('click', () => this.#actions.edit(uri));
    row.history.addEventListener('click', () => this.#actions.history(uri));
    const about = element('p', { class: 'small' }, row.version, ' · changed ', row.age, ' by ', row.author);
    row.root.append(
      element('div', {}, element('h3', {}, topic, ' ', row.mark), row.value, about),
      element('div', { class: 'controls' }, row.edit, row.history),
    );
    this.#rows.set(uri, row);
    return row;
  }
}

function button(testId: string, label: string, text: string): HTMLButtonElement {
  return element('button', { type: 'button', 'data-testid': testId, 'aria-label': label }, text);
}

function fill(row: Row, fact: Fact, { standing, live, now }: RowState): void {
  row.root.dataset.version = String(fact.version);
  row.root.dataset.stale = String(fact.stale);
  row.root.dataset.standing = live ? standing : 'unconfirmed';
  setText(row.value, fact.value === '' ? fact.spoken : fact.value);
  setText(row.version, `Version ${fact.version}`);
  setText(row.age, ageInWords(Date.parse(fact.lastModified), now));
  setText(row.author, fact.attested ? `${fact.author}, signed` : fact.author);
  setText(row.mark, markOf(fact, standing, live));
  row.mark.hidden = row.mark.textContent === '';
}

function markOf(fact: Fact, standing: Standing, live: boolean): string {
  if (live && standing === 'checking') return 'Changed — being read again';
  if (live && standing === 'unconfirmed') return 'Cannot be confirmed';
  if (fact.kind === 'withdraw') return 'Withdrawn';
  return fact.stale ? 'Stale — past its review date' : '';
}
