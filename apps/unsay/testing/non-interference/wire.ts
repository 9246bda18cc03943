import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';

/** One HTTP/1.1 request. Host and length are added; nothing else is. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** An open event stream. Everything the server wrote to it is kept as it came, chunk sizes and all. */
export interface WireStream {
  /** The bytes since the last call, once all that the server has written so far has arrived. */
  news(): Promise<string>;
  /** Hangs up, and waits until the server has noticed. */
  leave(): Promise<void>;
}

/** Talks to a server over sockets and hands back bytes: status line, headers, body, frames. */
export interface Wire {
  request(request: WireRequest): Promise<string>;
  open(request: WireRequest): Promise<WireStream>;
  close(): void;
}

const HOST = 'localhost:8787';

/** A wire to a server of this process that listens already. Bytes are spelled in latin1, one letter each. */
export function createWire(server: Server): Wire {
  const { port } = server.address() as AddressInfo;
  const served = new Map<number, Socket>();
  const opened = new Set<Socket>();
  let plain: Promise<Socket> | null = null;
  server.on('connection', (socket) => {
    const { remotePort = 0 } = socket;
    served.set(remotePort, socket);
  });

  async function dial(): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    opened.add(socket);
    socket.on('close', () => opened.delete(socket));
    // A server that drops a connection is judged by what it wrote before.
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    return socket;
  }

  return {
    async request(request) {
      let socket = await (plain ?? dial());
      if (socket.destroyed || socket.readableEnded) socket = await dial();
      plain = Promise.resolve(socket);
      socket.write(spell(request));
      return wholeAnswer(socket, request.method === 'HEAD');
    },
    async open(request) {
      const socket = await dial();
      let bytes = '';
      socket.setEncoding('latin1');
      socket.on('data', (chunk) => {
        bytes += chunk;
      });
      socket.write(spell(request));
      await once(socket, 'data');
      const peer = (): Socket | undefined => served.get(socket.localPort ?? -1);
      return {
        async news() {
          await caughtUp(socket, peer());
          const news = bytes;
          bytes = '';
          return socket.destroyed ? `${news}[closed]` : news;
        },
        async leave() {
          const noticed = peer();
          const gone = noticed === undefined || noticed.closed ? null : once(noticed, 'close');
          socket.destroy();
          await gone;
        },
      };
    },
    close() {
      for (const socket of opened) socket.destroy();
    },
  };
}

// No clock is involved: both ends of the connection count the same bytes.
async function caughtUp(socket: Socket, peer: Socket | undefined): Promise<void> {
  while (peer !== undefined && !socket.destroyed) {
    if (!peer.destroyed && socket.bytesRead >= peer.bytesWritten) return;
    await new Promise<void>((resolve) => {
      const go = (): void => {
        socket.off('data', go).off('close', go);
        resolve();
      };
      socket.on('data', go).on('close', go);
    });
  }
}

function spell({ method, path, headers, body = '' }: WireRequest): Buffer {
  const length = body === '' && method !== 'POST' ? [] : [`content-length: ${Buffer.byteLength(body)}`];
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  const head = [`${method} ${path} HTTP/1.1`, `host: ${HOST}`, ...lines, ...length];
  return Buffer.from(`${head.join('\r\n')}\r\n\r\n${body}`);
}

/** The bytes of one answer, to the end that its own head announces. */
function wholeAnswer(socket: Socket, headOnly: boolean): Promise<string> {
  let bytes = '';
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('data', onData).off('close', done);
      resolve(bytes);
    };
    const onData = (chunk: Buffer): void => {
      bytes += chunk.toString('latin1');
      if (isWhole(bytes, headOnly)) done();
    };
    socket.on('data', onData).on('close', done);
  });
}

function isWhole(bytes: string, headOnly: boolean): boolean {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1 || headOnly) return headEnd !== -1;
  const head = bytes.slice(0, headEnd).toLowerCase();
  const length = /\r\ncontent-length: (\d+)/.exec(head)?.[1];
  if (length !== undefined) return bytes.length >= headEnd + 4 + Number(length);
  return !head.includes('\r\ntransfer-encoding: chunked') || bytes.endsWith('\r\n0\r\n\r\n');
}
