/** One request of a client and its whole answer, as they were on the wire. */
export interface Exchange {
  readonly request: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** Hands a client's requests on and keeps what was sent and answered. */
export class WireTap {
  readonly exchanges: Exchange[] = [];
  /** What the client's event streams have carried, in the order in which they were opened. */
  readonly streams: { raw: string }[] = [];
  readonly #opened: (() => void)[] = [];

  /** Passed to the client's transport. */
  readonly fetch = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init);
    const request = typeof init?.body === 'string' ? init.body : '';
    if (response.headers.get('content-type') === 'text/event-stream') return this.#streamed(response);
    const text = await response.text();
    const headers = Object.fromEntries(response.headers);
    this.exchanges.push({ request, status: response.status, headers, text });
    // A body, even an empty one, may not stand beside these statuses.
    const body = [202, 204].includes(response.status) ? null : text;
    return new Response(body, { status: response.status, headers: response.headers });
  };

  /** The last exchange of one method. */
  last(method: string): Exchange {
    const found = this.exchanges.findLast(({ request }) => request.includes(`"method":"${method}"`));
    if (found === undefined) throw new Error(`the client sent no ${method}`);
    return found;
  }

  /** Resolves when the client has an event stream open. */
  async streaming(): Promise<void> {
    if (this.streams.length > 0) return;
    await new Promise<void>((resolve) => this.#opened.push(resolve));
  }

  /** Every byte that the client was answered. */
  get everything(): string {
    return [...this.exchanges.map(({ text }) => text), ...this.streams.map(({ raw }) => raw)].join('\n');
  }

  #streamed(response: Response): Response {
    const stream = { raw: '' };
    const decoder = new TextDecoder();
    const tapped = response.body?.pipeThrough(
      new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        transform(chunk, controller) {
          stream.raw += decoder.decode(chunk, { stream: true });
          controller.enqueue(chunk);
        },
      }),
    );
    this.streams.push(stream);
    for (const opened of this.#opened.splice(0)) opened();
    return new Response(tapped ?? null, { status: response.status, headers: response.headers });
  }
}
