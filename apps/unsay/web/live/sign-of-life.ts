/** Wraps `fetch` so that a page knows when its open stream last sent a byte, and whether its token holds. */
export class SignOfLife {
  readonly #send: typeof fetch;
  readonly #now: () => number;
  #last: number;
  #unauthorised = false;
  #unanswered = false;
  #clockAhead = 0;

  constructor(send: typeof fetch, now: () => number) {
    this.#send = send;
    this.#now = now;
    this.#last = now();
  }

  /** When a listen stream last sent anything, heartbeats included; milliseconds of this page's clock. */
  get last(): number {
    return this.#last;
  }

  /** Whether the server has refused the token. */
  get unauthorised(): boolean {
    return this.#unauthorised;
  }

  /** Whether the last request got no answer at all. */
  get unanswered(): boolean {
    return this.#unanswered;
  }

  /** The server's clock minus this page's, in milliseconds, from the `Date` header. */
  get clockAhead(): number {
    return this.#clockAhead;
  }

  readonly fetch: typeof fetch = async (input, init) => {
    this.#unanswered = true;
    const response = await this.#send(input, init);
    this.#unanswered = false;
    if (response.status === 401) this.#unauthorised = true;
    const date = Date.parse(response.headers.get('date') ?? '');
    if (!Number.isNaN(date)) this.#clockAhead = date - this.#now();
    const listens = new Headers(init?.headers).get('mcp-method') === 'subscriptions/listen';
    return listens && response.ok && response.body !== null
      ? this.#watched(response, response.body)
      : response;
  };

  #watched(response: Response, body: ReadableStream<Uint8Array>): Response {
    this.#last = this.#now();
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.#last = this.#now();
        controller.enqueue(chunk);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(body.pipeThrough(watch), { status, statusText, headers });
  }
}
