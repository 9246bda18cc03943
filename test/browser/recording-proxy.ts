import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Readable } from 'node:stream';

/** One request of a page and what has come of its answer so far; a stream's bytes are added as they pass. */
export interface Exchange {
  readonly method: string;
  readonly url: string;
  /** Header lines and body. */
  readonly sent: Transcript;
  readonly answered: Transcript;
}

/** Headers and body of one direction, as text. */
export interface Transcript {
  text: string;
}

/**
 * A proxy that a browser sends everything through, which keeps every byte of both directions and lets it reach
 * one server only.
 */
export class RecordingProxy {
  readonly exchanges: Exchange[] = [];
  /** What was asked of any other host; it was refused. */
  readonly foreign: string[] = [];
  readonly #origin: string;
  readonly #server: Server;

  private constructor(origin: string) {
    this.#origin = origin;
    this.#server = createServer((req, res) => this.#pass(req, res));
    this.#server.on('connect', (req, socket) => {
      this.foreign.push(`CONNECT ${req.url}`);
      socket.destroy();
    });
  }

  /** Starts a proxy for the server at `origin`. */
  static async before(origin: string): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(origin);
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** What Playwright is given as a context's proxy. */
  get setting(): { server: string } {
    return { server: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}` };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #pass(req: IncomingMessage, res: ServerResponse): void {
    const url = req.url ?? '';
    if (new URL(url).origin !== this.#origin) {
      this.foreign.push(`${req.method} ${url}`);
      res.writeHead(403).end();
      return;
    }
    const exchange = { method: req.method ?? '', url, sent: { text: '' }, answered: { text: '' } };
    this.exchanges.push(exchange);
    // Compressed bytes could not be searched.
    const headers = { ...req.headers, 'accept-encoding': 'identity' };
    record(req, headers, exchange.sent);
    const upstream = request(url, { method: req.method, headers, agent: false }, (answer) => {
      record(answer, answer.headers, exchange.answered);
      res.writeHead(answer.statusCode ?? 502, answer.headers);
      // The head at once: a stream may have nothing to say for a while.
      res.flushHeaders();
      answer.pipe(res);
      answer.once('error', () => res.destroy());
    });
    upstream.once('error', () => res.destroy());
    res.once('close', () => upstream.destroy());
    req.pipe(upstream);
  }
}

function record(stream: Readable, headers: IncomingMessage['headers'], transcript: Transcript): void {
  const decoder = new TextDecoder();
  transcript.text += `${JSON.stringify(headers)}\n`;
  stream.on('data', (chunk: Buffer) => {
    transcript.text += decoder.decode(chunk, { stream: true });
  });
}
