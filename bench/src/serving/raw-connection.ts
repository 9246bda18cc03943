import { connect, type Socket } from 'node:net';

/** A request as it goes over the wire. */
export function wireRequest(
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body = '',
): Buffer {
  const length = body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ host: 'localhost', ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
}

/** One keep-alive connection that costs the load next to nothing: it looks for the end of an answer and no further. */
export class RawConnection {
  readonly #socket: Socket;
  #buffered: Buffer = Buffer.alloc(0);
  #answered: ((answer: Buffer) => void) | undefined;
  #failed: ((error: Error) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => this.#take(chunk));
    socket.on('error', (error) => this.#failed?.(error));
    socket.on('close', () => this.#failed?.(new Error('the server closed the connection')));
  }

  static open(port: number): Promise<RawConnection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => resolve(new RawConnection(socket)));
      socket.once('error', reject);
    });
  }

  /** Sends a request and gives the whole answer, head and body. One at a time. */
  send(request: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      if (this.#socket.destroyed) {
        reject(new Error('the server closed the connection while nothing was asked'));
        return;
      }
      this.#answered = resolve;
      this.#failed = reject;
      this.#socket.write(request);
    });
  }

  close(): void {
    this.#failed = undefined;
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    this.#buffered = this.#buffered.length === 0 ? chunk : Buffer.concat([this.#buffered, chunk]);
    const end = endOfAnswer(this.#buffered);
    if (end === undefined) return;
    const answer = this.#buffered.subarray(0, end);
    this.#buffered = this.#buffered.subarray(end);
    this.#failed = undefined;
    this.#answered?.(answer);
  }
}

/** Where an answer ends (RFC 9112, section 6); undefined while it has not come whole. */
function endOfAnswer(bytes: Buffer): number | undefined {
  const head = bytes.indexOf('\r\n\r\n');
  if (head < 0) return undefined;
  const headers = bytes.toString('latin1', 0, head).toLowerCase();
  const length = /\r\ncontent-length: *(\d+)/.exec(headers)?.[1];
  if (length !== undefined) {
    const end = head + 4 + Number(length);
    return bytes.length >= end ? end : undefined;
  }
  const last = bytes.indexOf('0\r\n\r\n', head + 4);
  return last < 0 ? undefined : last + 5;
}

/** Has `connections` send the request one answer after the other for as long as `ms`; gives how many were answered. */
export async function hammer(
  connections: readonly RawConnection[],
  request: Buffer,
  ms: number,
): Promise<{ readonly answered: number; readonly seconds: number }> {
  let answered = 0;
  const begun = performance.now();
  const until = begun + ms;
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < until) {
        await connection.send(request);
        answered += 1;
      }
    }),
  );
  return { answered, seconds: (performance.now() - begun) / 1000 };
}
