import { maySpeak, topicOf } from '../live/fact.ts';
import { byId, setText } from '../page/element.ts';
import type { Scheduler } from '../page/scheduler.ts';
import { type Draft, isDirty, newestOf, withdrawalOf } from './draft.ts';
import type { Previewed } from './preview.ts';
import { PreviewRequest } from './preview-request.ts';
import type { WriteBody } from './publish.ts';
import { SentenceView } from './sentence-view.ts';

/** Asks whether a fact is to be taken back with nothing in its place, and shows what will be heard. */
export class WithdrawalPanel {
  readonly #root = byId('withdrawal');
  readonly #view = new SentenceView(byId('withdrawal-heard'), {
    retraction: 'withdraw-sentence',
    spoken: 'withdraw-spoken',
  });
  readonly #request: PreviewRequest;
  #heard = 0;

  constructor(options: {
    ask: (body: WriteBody, ifMatch: string) => Promise<Previewed>;
    scheduler: Scheduler;
    confirmed: () => void;
    cancelled: () => void;
  }) {
    const changed = (): void => {
      this.#view.show(this.#request.state, this.#heard);
      if (this.isOpen) this.#root.scrollIntoView({ block: 'nearest' });
    };
    this.#request = new PreviewRequest({ ask: options.ask, scheduler: options.scheduler, changed });
    byId('withdraw-confirm').addEventListener('click', options.confirmed);
    byId('withdraw-cancel').addEventListener('click', options.cancelled);
  }

  get isOpen(): boolean {
    return !this.#root.hidden;
  }

  open(draft: Draft): void {
    this.#toggle(true);
    this.show(draft);
    byId('withdraw-cancel').focus();
    this.#root.scrollIntoView({ block: 'nearest' });
  }

  close(): void {
    this.#toggle(false);
    this.#request.want(null, '');
  }

  /** One question at a time: while this one is asked, publishing is not on offer. */
  #toggle(isOpen: boolean): void {
    this.#root.hidden = !isOpen;
    for (const id of ['preview', 'editor-controls']) byId(id).hidden = isOpen;
  }

  /** The draft has changed: its author, or the head that it is about. */
  show(draft: Draft): void {
    if (!this.isOpen) return;
    const { uri, version, versionHash } = newestOf(draft);
    this.#heard = version;
    setText(byId('withdrawal-title'), `Take “${topicOf(uri)}” back, with nothing in its place?`);
    setText(byId('withdrawal-about'), aboutOf(draft));
    this.#request.want(maySpeak(uri) ? withdrawalOf(draft) : null, versionHash);
  }
}

function aboutOf(draft: Draft): string {
  const never = maySpeak(draft.base.uri) ? '' : 'This fact is never spoken, so no device is told. ';
  const typed = isDirty(draft) ? ' What you typed above is thrown away.' : '';
  return `${never}Nobody can read its versions any more; the record keeps them.${typed}`;
}
