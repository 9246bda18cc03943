import type { ConnectionState } from '../live/connection.ts';
import { timeOf } from '../page/connection-view.ts';
import { byId, element } from '../page/element.ts';

const LABELS = {
  connecting: 'Connecting…',
  live: 'Live',
  offline: 'Not connected',
  unpaired: 'Not paired',
} as const;

/** Shows where the card stands, in a host and by itself. */
export class StandingView {
  readonly #label = byId('connection-label');
  readonly #notice = byId('connection-notice');
  readonly #framed: boolean;
  readonly #retry: () => void;

  constructor(framed: boolean, retry: () => void) {
    this.#framed = framed;
    this.#retry = retry;
  }

  show(state: ConnectionState): void {
    document.body.dataset.connection = state.status;
    this.#label.textContent = LABELS[state.status];
    // The notice stays while a new attempt is made, so that nothing looks settled before it is.
    if (state.status === 'connecting') return;
    this.#notice.hidden = state.status === 'live';
    this.#notice.replaceChildren(...this.#words(state));
  }

  #words(state: ConnectionState): Node[] {
    if (state.status === 'unpaired') {
      const how =
        'Run npm run --silent unsay -- pair device, and open this address with the code that it prints behind a #.';
      return [element('h2', {}, 'This card is not paired'), element('p', {}, how)];
    }
    if (state.status !== 'offline') return [];
    const other = this.#framed ? 'The host' : 'The server';
    const since =
      state.lastChecked === null
        ? `${other} has not answered yet.`
        : `Last known to be current at ${timeOf(state.lastChecked)}.`;
    const again = element('button', { type: 'button', class: 'quiet', 'data-testid': 'retry' }, 'Try now');
    again.addEventListener('click', this.#retry);
    return [
      element('h2', {}, 'Not connected — what you see may be out of date'),
      element('p', {}, `${since} This card keeps trying by itself.`),
      element('p', { class: 'small' }, `What happened: ${state.reason}.`),
      again,
    ];
  }
}
