import { type Fact, type ReadAnswer, topicOf } from '../live/fact.ts';
import { ageInWords } from '../page/age.ts';
import { byId, element, setText } from '../page/element.ts';

/** Versions that are read at once. */
const PAGE = 20;

interface Options {
  readonly readVersion: (uri: string, version: number) => Promise<ReadAnswer>;
  readonly closed: (uri: string) => void;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: () => number;
}

/** The versions of one fact, newest first, as a reader is given them: withdrawn ones without their words. */
export class HistoryView {
  readonly #options: Options;
  readonly #dialog = byId('history') as HTMLDialogElement;
  readonly #list = byId('history-versions');
  readonly #older = byId('history-older');
  #head: Fact | null = null;
  /** The oldest version on the page. */
  #oldest = 0;
  #reading = false;

  constructor(options: Options) {
    this.#options = options;
    this.#older.addEventListener('click', () => void this.#more());
    byId('history-close').addEventListener('click', () => this.#dialog.close());
    this.#dialog.addEventListener('close', () => this.#closed());
  }

  open(head: Fact): void {
    this.#show(head);
    this.#dialog.showModal();
  }

  /** A head was read; an open history begins again from it, since a withdrawal changes what may be read below. */
  meet(head: Fact): void {
    if (this.#head?.uri === head.uri && this.#head.version < head.version) this.#show(head);
  }

  #show(head: Fact): void {
    this.#head = head;
    this.#oldest = head.version;
    setText(byId('history-title'), `History: ${topicOf(head.uri)}`);
    setText(byId('history-about'), head.uri);
    this.#list.replaceChildren(this.#line(head.version, { kind: 'found', fact: head }));
    this.#reading = false;
    void this.#more();
  }

  async #more(): Promise<void> {
    const head = this.#head;
    if (head === null || this.#reading) return;
    this.#reading = true;
    const newest = this.#oldest - 1;
    const oldest = Math.max(1, newest - PAGE + 1);
    const versions = Array.from({ length: newest - oldest + 1 }, (_, index) => newest - index);
    this.#oldest = oldest;
    this.#older.hidden = oldest <= 1;
    const lines = await Promise.all(
      versions.map(async (version) => {
        return this.#line(version, await this.#options.readVersion(head.uri, version));
      }),
    );
    if (this.#head !== head) return;
    this.#reading = false;
    this.#list.append(...lines);
  }

  #closed(): void {
    const uri = this.#head?.uri;
    this.#head = null;
    if (uri !== undefined) this.#options.closed(uri);
  }

  #line(version: number, answer: ReadAnswer): HTMLElement {
    const { about, words, kind } = this.#partsOf(version, answer);
    return element(
      'li',
      { 'data-testid': 'history-version', 'data-version': String(version), 'data-kind': kind },
      element('p', { class: 'small' }, about),
      element('p', { class: 'value' }, words),
    );
  }

  #partsOf(version: number, answer: ReadAnswer): { about: string; words: string; kind: string } {
    const name = `Version ${version}`;
    if (answer.kind === 'failed')
      return { about: name, words: `It could not be read: ${answer.reason}.`, kind: 'unread' };
    // A version below the head is absent only when it was withdrawn.
    if (answer.kind === 'absent')
      return { about: `${name} · withdrawn`, words: 'Its words are given to nobody.', kind: 'withdrawn' };
    const { fact } = answer;
    const age = ageInWords(Date.parse(fact.lastModified), this.#options.now());
    const signed = fact.attested ? ', signed' : '';
    const clip = fact.clip === null ? '' : ' · with a clip';
    const now = version === this.#head?.version ? ' · current' : '';
    const isWithdrawal = fact.kind === 'withdraw';
    return {
      about: `${name} · ${age} by ${fact.author}${signed}${clip}${now}`,
      words: isWithdrawal ? `Withdrawn. ${fact.spoken}` : fact.value,
      kind: isWithdrawal ? 'withdrawal' : 'words',
    };
  }
}
