/** What a stream told its client. */
export type StreamNews =
  | { readonly kind: 'acknowledged'; readonly uris: readonly string[] }
  | { readonly kind: 'updated'; readonly uri: string }
  | { readonly kind: 'listed' }
  | { readonly kind: 'opened' }
  | { readonly kind: 'ended' };

interface Message {
  readonly method?: string;
  readonly params?: { readonly uri?: string; readonly notifications?: { resourceSubscriptions?: string[] } };
}

/** Reads server-sent events out of a body that comes in pieces. */
export class EventReader {
  #unread = '';
  #lastId: string | null = null;

  /** The id of the last event that had one: where a stream goes on from. */
  get lastId(): string | null {
    return this.#lastId;
  }

  read(bytes: string): StreamNews[] {
    this.#unread += bytes;
    const blocks = this.#unread.split('\n\n');
    this.#unread = blocks.pop() ?? '';
    return blocks.flatMap((block) => {
      this.#lastId = /^id: (.+)$/m.exec(block)?.[1] ?? this.#lastId;
      return newsOf(block);
    });
  }
}

/** News in the order in which it came, for one reader who waits for it. */
export class EventQueue {
  #news: StreamNews[] = [];
  #wake: (() => void) | null = null;

  put(news: StreamNews): void {
    this.#news.push(news);
    this.#wake?.();
  }

  /** Resolves when there is news, or when `timeout` does. */
  async next(timeout: Promise<void>): Promise<StreamNews | null> {
    if (this.#news.length === 0) {
      const arrival = new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
      await Promise.race([arrival, timeout]);
      this.#wake = null;
    }
    return this.#news.shift() ?? null;
  }
}

function newsOf(block: string): StreamNews[] {
  const lines = block.split('\n');
  const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice('data: '.length));
  const [text = ''] = data;
  // What opens a stream has an id and nothing to say.
  if (text === '') return lines.some((line) => line.startsWith('id: ')) ? [{ kind: 'opened' }] : [];
  const { method, params } = JSON.parse(text) as Message;
  switch (method) {
    case 'notifications/subscriptions/acknowledged':
      return [{ kind: 'acknowledged', uris: params?.notifications?.resourceSubscriptions ?? [] }];
    case 'notifications/resources/updated':
      return [{ kind: 'updated', uri: params?.uri ?? '' }];
    case 'notifications/resources/list_changed':
      return [{ kind: 'listed' }];
    default:
      return [];
  }
}
