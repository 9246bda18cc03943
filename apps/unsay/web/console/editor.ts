import { type Fact, maySpeak, topicOf } from '../live/fact.ts';
import { ageInWords } from '../page/age.ts';
import { byId, element, setText } from '../page/element.ts';
import type { Scheduler } from '../page/scheduler.ts';
import { MS_PER_WORD } from '../speech/silent-engine.ts';
import { wordsOf } from '../speech/words.ts';
import { changedSpan } from './changed-span.ts';
import {
  type Author,
  acceptNewer,
  type Draft,
  isDirty,
  meetHead,
  newestOf,
  obstacle,
  openDraft,
  previewBodyOf,
  withdrawalObstacle,
  withdrawalOf,
  writeBodyOf,
} from './draft.ts';
import type { Previewed } from './preview.ts';
import { PreviewRequest } from './preview-request.ts';
import type { Published, WriteBody } from './publish.ts';
import { SentenceView } from './sentence-view.ts';
import { WithdrawalPanel } from './withdrawal-panel.ts';

interface Options {
  readonly publish: (body: WriteBody, ifMatch: string) => Promise<Published>;
  /** Reads the head of a fact again; null where it cannot be had now. */
  readonly readHead: (uri: string) => Promise<Fact | null>;
  /** Asks what would be heard; publishes nothing. */
  readonly preview: (body: WriteBody, ifMatch: string) => Promise<Previewed>;
  readonly published: (sent: WriteBody, outcome: Published & { kind: 'published' }) => void;
  readonly closed: (uri: string) => void;
  /** The server's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly scheduler: Scheduler;
}

/** Edits one fact. What was typed is lost only when the person says so. */
export class Editor {
  readonly #options: Options;
  readonly #dialog = byId('editor') as HTMLDialogElement;
  readonly #value = byId('value') as HTMLTextAreaElement;
  readonly #authorId = byId('author-id') as HTMLInputElement;
  readonly #authorLabel = byId('author-label') as HTMLInputElement;
  readonly #reviewBy = byId('review-by') as HTMLInputElement;
  readonly #newer = byId('newer');
  readonly #heard = new SentenceView(byId('heard'), {
    retraction: 'preview-sentence',
    spoken: 'preview-spoken',
  });
  readonly #preview: PreviewRequest;
  readonly #withdrawal: WithdrawalPanel;
  #draft: Draft | null = null;
  #author: Author = { authorId: '', authorLabel: '' };
  #sending = false;

  constructor(options: Options) {
    this.#options = options;
    const { preview: ask, scheduler } = options;
    this.#preview = new PreviewRequest({ ask, scheduler, changed: () => this.#renderHeard() });
    this.#withdrawal = new WithdrawalPanel({
      ask,
      scheduler,
      confirmed: () => void this.#withdraw(),
      cancelled: () => this.#keep(),
    });
    byId('withdraw').addEventListener('click', () => this.#askToWithdraw());
    byId('editor-form').addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#publish();
    });
    byId('editor-form').addEventListener('input', () => this.#typed());
    byId('cancel').addEventListener('click', () => this.#leave());
    byId('keep-editing').addEventListener('click', () => this.#keep());
    byId('discard-confirm').addEventListener('click', () => this.#close());
    this.#dialog.addEventListener('keydown', (event) => this.#key(event));
    // The browser's own closing of a dialog asks nobody.
    this.#dialog.addEventListener('cancel', (event) => event.preventDefault());
    addEventListener('beforeunload', (event) => {
      if (this.#draft !== null && isDirty(this.#draft)) event.preventDefault();
    });
  }

  open(fact: Fact): void {
    this.#draft = openDraft(fact, this.#author);
    this.#value.value = this.#draft.value;
    this.#authorId.value = this.#draft.authorId;
    this.#authorLabel.value = this.#draft.authorLabel;
    this.#reviewBy.value = this.#draft.reviewBy;
    this.#fail(null);
    byId('discard').hidden = true;
    this.#withdrawal.close();
    this.#render();
    this.#dialog.showModal();
    this.#value.focus();
  }

  /** A head was read; it is shown if it is newer than the one being edited. */
  meet(head: Fact): void {
    if (this.#draft === null || this.#draft.base.uri !== head.uri) return;
    this.#draft = meetHead(this.#draft, head);
    this.#render();
  }

  #key(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.preventDefault();
      if (byId('discard').hidden && !this.#withdrawal.isOpen) this.#leave();
      else this.#keep();
    }
    // Only from within a field: after a refusal the focus is on what changed, and a second press must not
    // publish over words that nobody has read.
    const inField = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement;
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey) && inField) {
      event.preventDefault();
      void this.#publish();
    }
  }

  #typed(): void {
    if (this.#draft === null) return;
    this.#draft = {
      ...this.#draft,
      value: this.#value.value,
      authorId: this.#authorId.value,
      authorLabel: this.#authorLabel.value,
      reviewBy: this.#reviewBy.value,
    };
    this.#render();
  }

  #leave(): void {
    if (this.#draft === null || !isDirty(this.#draft)) {
      this.#close();
      return;
    }
    byId('discard').hidden = false;
    byId('keep-editing').focus();
  }

  #keep(): void {
    byId('discard').hidden = true;
    this.#withdrawal.close();
    this.#value.focus();
  }

  #close(): void {
    const uri = this.#draft?.base.uri;
    this.#draft = null;
    this.#preview.want(null, '');
    this.#withdrawal.close();
    this.#dialog.close();
    if (uri !== undefined) this.#options.closed(uri);
  }

  async #publish(): Promise<void> {
    const draft = this.#draft;
    // Enter in a field publishes; while it is asked whether to withdraw, that is not what it means.
    if (draft === null || this.#sending || this.#withdrawal.isOpen) return;
    const missing = obstacle(draft);
    if (missing !== null) return this.#fail(missing);
    await this.#send(draft, writeBodyOf(draft));
  }

  #askToWithdraw(): void {
    const draft = this.#draft;
    if (draft === null || this.#sending) return;
    const missing = withdrawalObstacle(draft);
    this.#fail(missing);
    byId('discard').hidden = true;
    if (missing === null) this.#withdrawal.open(draft);
    else this.#authorId.focus();
  }

  async #withdraw(): Promise<void> {
    const draft = this.#draft;
    if (draft === null || this.#sending) return;
    const missing = withdrawalObstacle(draft);
    if (missing !== null) return this.#fail(missing);
    await this.#send(draft, withdrawalOf(draft));
  }

  async #send(draft: Draft, body: WriteBody): Promise<void> {
    this.#sending = true;
    this.#fail(null);
    this.#render();
    const outcome = await this.#options.publish(body, draft.base.versionHash);
    this.#sending = false;
    await this.#settle(draft, body, outcome);
    this.#render();
  }

  async #settle(sent: Draft, body: WriteBody, outcome: Published): Promise<void> {
    const { uri } = sent.base;
    // Whether to take back what has changed meanwhile is a new question.
    if (outcome.kind !== 'published') this.#withdrawal.close();
    switch (outcome.kind) {
      case 'published':
        this.#author = { authorId: sent.authorId, authorLabel: sent.authorLabel };
        if (this.#draft?.base.uri === uri) this.#close();
        return this.#options.published(body, outcome);
      case 'head_moved':
        return this.#showNewer(uri);
      case 'refused':
        return this.#fail(`${outcome.problem.detail} ${outcome.problem.next}`.trim());
      case 'unknown':
        return this.#fail(
          'The server did not answer, so this may or may not have been published. What you typed is kept. Publish again: if it did arrive, you are shown that first.',
        );
    }
  }

  /** Someone published first. Their words are put before the person, whose own stay in the field. */
  async #showNewer(uri: string): Promise<void> {
    const head = await this.#options.readHead(uri);
    if (this.#draft === null || this.#draft.base.uri !== uri) return;
    if (head === null) {
      return this.#fail(
        'Someone else has changed this fact, and what it says now cannot be read. What you typed is kept.',
      );
    }
    const met = meetHead(this.#draft, head);
    this.#fail(
      `Not published: someone else published version ${head.version} first. What you typed is kept.`,
    );
    this.#showHead(head);
    this.#draft = acceptNewer(met);
    this.#newer.focus();
  }

  #showHead(head: Fact): void {
    const age = ageInWords(Date.parse(head.lastModified), this.#options.now());
    this.#newer.hidden = false;
    this.#newer.replaceChildren(
      element('p', {}, element('strong', {}, `Version ${head.version}`), `, ${age} by ${head.author}, says:`),
      element('p', { class: 'value' }, head.value === '' ? head.spoken : head.value),
    );
  }

  #fail(message: string | null): void {
    byId('error').hidden = message === null;
    setText(byId('error'), message ?? '');
    if (message !== null) byId('error').scrollIntoView({ block: 'nearest' });
    if (message === null) this.#newer.hidden = true;
  }

  #render(): void {
    const draft = this.#draft;
    if (draft === null) return;
    const { base, newer, value } = draft;
    if (newer !== null) this.#showHead(newer);
    const words = wordsOf(value).length;
    const seconds = Math.round((words * MS_PER_WORD) / 1000);
    const aloud = maySpeak(base.uri) ? `, about ${seconds} seconds aloud` : '';
    setText(byId('editor-title'), topicOf(base.uri));
    setText(byId('editor-about'), `${base.uri} · version ${base.version}`);
    setText(byId('count'), `${[...value].length} characters, ${words} words${aloud}`);
    const span = changedSpan(base.value, value.trim());
    const mark = (name: 'del' | 'ins', text: string): (Node | string)[] =>
      text === '' ? [] : [element(name, {}, text)];
    byId('preview-old').replaceChildren(span.old.before, ...mark('del', span.old.changed), span.old.after);
    byId('preview-new').replaceChildren(span.new.before, ...mark('ins', span.new.changed), span.new.after);
    setText(byId('preview-summary'), summaryOf(draft));
    const publish = byId('publish');
    setText(publish, this.#sending ? 'Publishing…' : `Publish version ${base.version + 1}`);
    publish.setAttribute('aria-disabled', String(this.#sending));
    byId('withdraw').hidden = base.kind === 'withdraw';
    this.#withdrawal.show(draft);
    this.#preview.want(maySpeak(base.uri) ? previewBodyOf(draft) : null, newestOf(draft).versionHash);
    this.#renderHeard();
  }

  #renderHeard(): void {
    if (this.#draft !== null) this.#heard.show(this.#preview.state, newestOf(this.#draft).version);
  }
}

function summaryOf({ base, value }: Draft): string {
  const next = base.version + 1;
  const same =
    value.trim() === base.value ? ' The words stay the same; only their age and review date change.' : '';
  const heard = maySpeak(base.uri)
    ? `Version ${next} replaces version ${base.version}. Open devices stop saying the old words at once and take back what was heard.`
    : `Version ${next} replaces version ${base.version}. This fact is never spoken, so no device is told.`;
  const clip = base.clip === null ? '' : ' The clip goes with the old words; the new version has none.';
  return heard + same + clip;
}
