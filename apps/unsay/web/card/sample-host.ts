import type { BridgeWindow } from './host-bridge.ts';

type Message = Readonly<Record<string, unknown>>;

/** A host as its card sees it: what the card posted, and a way to post to it. For tests. */
export class SampleHost implements BridgeWindow {
  readonly posted: Message[] = [];
  readonly parent = {
    postMessage: (message: unknown): void => void this.posted.push(message as Message),
  };
  readonly #listeners = new Set<(event: { data: unknown; source: unknown }) => void>();

  addEventListener(_type: 'message', listener: (event: { data: unknown; source: unknown }) => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'message', listener: (event: { data: unknown; source: unknown }) => void): void {
    this.#listeners.delete(listener);
  }

  /** How many listen. */
  get listeners(): number {
    return this.#listeners.size;
  }

  /** A message to the card, from its host unless another window is given. */
  post(data: unknown, source: unknown = this.parent): void {
    for (const listener of this.#listeners) listener({ data, source });
  }

  /** The last request of the card. */
  get asked(): Message {
    const asked = this.posted.findLast(({ id, method }) => id !== undefined && method !== undefined);
    if (asked === undefined) throw new Error('the card has asked nothing');
    return asked;
  }

  /** Answers the card's last request. */
  answer(result: unknown): void {
    this.post({ jsonrpc: '2.0', id: this.asked.id, result });
  }
}
