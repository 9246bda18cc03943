import type { Begin } from '../live/code-flow.ts';
import type { ConnectionState } from '../live/connection.ts';
import { element, setText } from './element.ts';

/** What a person has to run for a fresh address of a page. */
export type PagePairing = 'device' | 'console' | 'landing';

const LABELS = {
  connecting: 'Connecting…',
  live: 'Live',
  offline: 'Not connected',
  unpaired: 'Not paired',
} as const;

const NOT_SIGNED_IN = {
  unreachable: 'The server does not answer. Try again in a moment.',
  not_here: 'People sign in elsewhere for this server, and not on its pages. Pair this page as below.',
} as const;

/** Shows where the page stands: on the body for the style sheet, as a label, and as a notice where it matters. */
export class ConnectionView {
  readonly #label: HTMLElement;
  readonly #notice: HTMLElement;
  readonly #page: PagePairing;
  readonly #retry: () => void;
  readonly #signIn: (() => Promise<Begin>) | undefined;

  constructor(options: {
    label: HTMLElement;
    notice: HTMLElement;
    page: PagePairing;
    retry: () => void;
    /** Goes to the sign-in. */
    signIn?: () => Promise<Begin>;
  }) {
    this.#label = options.label;
    this.#notice = options.notice;
    this.#page = options.page;
    this.#retry = options.retry;
    this.#signIn = options.signIn;
  }

  show(state: ConnectionState): void {
    document.body.dataset.connection = state.status;
    this.#label.textContent = LABELS[state.status];
    // The notice stays while a new attempt is made, so that nothing looks settled before it is.
    if (state.status === 'connecting') return;
    this.#notice.hidden = state.status === 'live';
    if (state.status === 'live') this.#notice.replaceChildren();
    if (state.status === 'offline') this.#notice.replaceChildren(...this.#offline(state));
    if (state.status === 'unpaired') this.#notice.replaceChildren(...this.#unpaired(state));
  }

  #offline({ cause, lastChecked, reason }: ConnectionState & { status: 'offline' }): Node[] {
    const title =
      cause === 'lost'
        ? 'Not connected — what you see may be out of date'
        : `No server is answering at ${location.origin}`;
    const since =
      lastChecked === null
        ? 'Nothing on this page is live. Start the server with npm start.'
        : `Last known to be current at ${timeOf(lastChecked)}.`;
    const again = element('button', { type: 'button', class: 'quiet', 'data-testid': 'retry' }, 'Try now');
    again.addEventListener('click', this.#retry);
    return [
      element('h2', {}, title),
      element('p', {}, `${since} This page keeps trying by itself.`),
      element('p', { class: 'small' }, `What happened: ${reason}.`),
      again,
    ];
  }

  #signInButton(): Node[] {
    const signIn = this.#signIn;
    if (signIn === undefined) return [];
    const button = element(
      'button',
      { type: 'button', class: 'primary', 'data-testid': 'sign-in' },
      'Sign in',
    );
    const said = element('p', { class: 'small', role: 'status' });
    button.addEventListener('click', async () => {
      const begun = await signIn();
      if (begun !== 'gone') setText(said, NOT_SIGNED_IN[begun]);
    });
    return [button, said];
  }

  #unpaired({ expired, problem }: ConnectionState & { status: 'unpaired' }): Node[] {
    const title = expired ? 'This page has to be paired again' : 'This page is not paired yet';
    const why =
      problem?.detail ??
      (expired
        ? 'Its token has ended or was withdrawn. Tokens last one hour.'
        : 'It was opened without a pairing code, so it may not read anything.');
    const command = `npm run --silent unsay -- pair ${this.#page}`;
    return [
      element('h2', {}, title),
      element('p', {}, why),
      ...this.#signInButton(),
      element('p', {}, 'In the folder of the server, run'),
      element('pre', {}, element('code', {}, command)),
      element(
        'p',
        {},
        'or restart npm start. Either prints a fresh address for this page, good once and for ten minutes. Open it.',
      ),
    ];
  }
}

/** A time of day for the eye. */
export function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB');
}
