import * as http from 'node:http';
import * as https from 'node:https';
import { type EventStream, readEvents } from './event-stream.ts';

/** A whole answer. */
export interface Answer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
}

/** What is sent: everything but the server it goes to. */
export interface Sending {
  readonly method?: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** One keep-alive connection to one server. Every target is measured through this same code. */
export interface Connection {
  send(sending: Sending): Promise<Answer>;
  /** Opens an event stream. @throws Error with the server's words when the answer is something else. */
  listen(sending: Sending): Promise<EventStream>;
  close(): void;
}

export function connect(url: URL): Connection {
  const secure = url.protocol === 'https:';
  const agent = new (secure ? https : http).Agent({ keepAlive: true, maxSockets: 1 });

  function ask({ method = 'POST', path, headers, body = '' }: Sending): Promise<http.IncomingMessage> {
    return new Promise((resolve, reject) => {
      const length = method === 'GET' ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const target = new URL(path, url);
      const request = (secure ? https : http).request(target, {
        method,
        agent,
        headers: { ...headers, ...length },
      });
      request.once('response', resolve);
      request.once('error', reject);
      request.end(method === 'GET' ? undefined : body);
    });
  }

  return {
    async send(sending) {
      const response = await ask(sending);
      return { status: response.statusCode ?? 0, headers: response.headers, text: await textOf(response) };
    },
    async listen(sending) {
      const response = await ask(sending);
      const { statusCode: status = 0, headers } = response;
      if (status !== 200 || headers['content-type'] !== 'text/event-stream')
        throw new Error(`no event stream: ${status} ${await textOf(response)}`);
      return readEvents(response);
    },
    close: () => agent.destroy(),
  };
}

function textOf(response: http.IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.once('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    response.once('error', reject);
  });
}
