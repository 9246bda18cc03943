/** The events of one open stream, as they came. */
export class EventStream {
  readonly response: Response;
  /** Resolves when the stream is over: `ended` in good order, or `dropped`. */
  readonly over: Promise<'ended' | 'dropped'>;
  readonly #abort: AbortController;
  #raw = '';
  #taken = 0;
  #isOver = false;
  #wake: () => void = () => {};

  private constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    this.over = this.#read();
  }

  /** Sends a request and takes its answer for a stream, whatever its status. */
  static async open(url: string, init: RequestInit): Promise<EventStream> {
    const abort = new AbortController();
    return new EventStream(await fetch(url, { ...init, signal: abort.signal }), abort);
  }

  /** Every byte that has come. */
  get raw(): string {
    return this.#raw;
  }

  /** The id of the first event, which a stream of the older era opens with. */
  get firstId(): string | undefined {
    return /^id: (.*)$/m.exec(this.#raw)?.[1];
  }

  /** The next event that is no comment, with its lines; undefined when the stream is over. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const end = this.#raw.indexOf('\n\n', this.#taken);
      if (end >= 0) {
        const event = this.#raw.slice(this.#taken, end);
        this.#taken = end + 2;
        if (!event.startsWith(':')) return event;
      } else if (this.#isOver) {
        return undefined;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** The next event's data as JSON. */
  async message(): Promise<unknown> {
    const data = (await this.next())?.split('\n').find((line) => line.startsWith('data: '));
    return data === undefined ? undefined : JSON.parse(data.slice('data: '.length));
  }

  close(): void {
    this.#abort.abort();
  }

  async #read(): Promise<'ended' | 'dropped'> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) {
        this.#raw += decoder.decode(chunk, { stream: true });
        this.#wake();
      }
      return 'ended';
    } catch {
      return 'dropped';
    } finally {
      this.#isOver = true;
      this.#wake();
    }
  }
}
