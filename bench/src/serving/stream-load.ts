import { connect, type Socket } from 'node:net';

const UPDATED = Buffer.from('notifications/resources/updated');

/** Event streams that the load keeps open to one server. */
export class StreamLoad {
  readonly #port: number;
  readonly #request: Buffer;
  readonly #sockets: Socket[] = [];
  /** Called with each stream that was told of a change. */
  onUpdated: () => void = () => undefined;

  constructor(port: number, request: Buffer) {
    this.#port = port;
    this.#request = request;
  }

  get open(): number {
    return this.#sockets.length;
  }

  /** Opens so many more and resolves when the server has acknowledged each. A few at a time, as a backlog holds them. */
  async add(count: number): Promise<void> {
    for (let left = count; left > 0; left -= 100) {
      await Promise.all(Array.from({ length: Math.min(100, left) }, () => this.#openOne()));
    }
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #openOne(): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#port, '127.0.0.1', () => socket.write(this.#request));
      socket.setNoDelay(true);
      socket.once('error', reject);
      socket.once('data', (head: Buffer) => {
        if (!head.toString('latin1', 0, 15).includes(' 200')) {
          reject(new Error(`a stream was refused: ${head.toString('utf8', 0, 300)}`));
          return;
        }
        this.#sockets.push(socket);
        socket.on('data', (chunk: Buffer) => {
          if (chunk.includes(UPDATED)) this.onUpdated();
        });
        resolve();
      });
    });
  }
}
