import type { Cancel, Scheduler } from '../page/scheduler.ts';
import type { Previewed } from './preview.ts';
import type { WriteBody } from './publish.ts';

/** What is known of the sentences of a draft. */
export type PreviewState = { readonly kind: 'idle' } | { readonly kind: 'asking' } | Previewed;

/** How long a person has to pause before the server is asked again. */
export const PAUSE_MS = 300;

/** Keeps the sentences of what is being written current: asks after a pause, and shows no answer of an older draft. */
export class PreviewRequest {
  readonly #ask: (body: WriteBody, ifMatch: string) => Promise<Previewed>;
  readonly #scheduler: Scheduler;
  readonly #changed: () => void;
  #state: PreviewState = { kind: 'idle' };
  /** What was asked for and need not be again; null where the last answer was none. */
  #wanted: string | null = '';
  #cancel: Cancel = () => {};

  constructor(options: {
    ask: (body: WriteBody, ifMatch: string) => Promise<Previewed>;
    scheduler: Scheduler;
    changed: () => void;
  }) {
    this.#ask = options.ask;
    this.#scheduler = options.scheduler;
    this.#changed = options.changed;
  }

  get state(): PreviewState {
    return this.#state;
  }

  /** This is what may be published; null for nothing that has a sentence. The same draft again asks nothing. */
  want(body: WriteBody | null, ifMatch: string): void {
    const wanted = body === null ? '' : JSON.stringify([body, ifMatch]);
    if (wanted === this.#wanted) return;
    this.#wanted = wanted;
    this.#cancel();
    this.#enter(body === null ? { kind: 'idle' } : { kind: 'asking' });
    if (body === null) return;
    this.#cancel = this.#scheduler.after(PAUSE_MS, () => {
      void this.#ask(body, ifMatch).then((answer) => {
        if (this.#wanted !== wanted) return;
        if (answer.kind === 'none') this.#wanted = null;
        this.#enter(answer);
      });
    });
  }

  #enter(state: PreviewState): void {
    this.#state = state;
    this.#changed();
  }
}
