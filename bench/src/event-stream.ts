import type { IncomingMessage } from 'node:http';

/** An open stream of server-sent events, each with JSON as its data. */
export interface EventStream {
  /**
   * The next message for which `wanted` holds. Messages that came before it was asked for count; the others are dropped.
   *
   * @throws Error when the stream ends first.
   */
  next(wanted: (message: unknown) => boolean): Promise<void>;
}

/** Reads the events of a response as they arrive (WHATWG HTML, "server-sent events"; line ends are LF here). */
export function readEvents(response: IncomingMessage): EventStream {
  const unread: unknown[] = [];
  let ended = false;
  let wake: () => void = () => {};
  let text = '';

  response.setEncoding('utf8');
  response.on('data', (chunk: string) => {
    text += chunk;
    for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
      const data = dataOf(text.slice(0, end));
      text = text.slice(end + 2);
      if (data !== '') unread.push(JSON.parse(data));
    }
    wake();
  });
  const end = (): void => {
    ended = true;
    wake();
  };
  response.once('close', end);
  response.once('error', end);

  return {
    async next(wanted) {
      for (;;) {
        while (unread.length > 0) if (wanted(unread.shift())) return;
        if (ended) throw new Error('the event stream ended');
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

function dataOf(event: string): string {
  return event
    .split('\n')
    .filter((line) => line.startsWith('data:'))
    .map((line) => line.slice('data:'.length).trimStart())
    .join('\n');
}
