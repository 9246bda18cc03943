import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { createSelfSignedCertificate } from './self-signed-certificate.ts';

const { cert, key } = createSelfSignedCertificate(['client.example'], ['127.0.0.1']);
export const TRUSTED_CERTIFICATES: readonly string[] = [cert];

/** A real TLS server for `client.example`. */
export async function createClientDocumentHost(answer: (req: IncomingMessage, res: ServerResponse) => void) {
  let requests = 0;
  const server = createServer({ cert, key }, (req, res) => {
    requests += 1;
    answer(req, res);
  });
  let connections = 0;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    /** Also of those who never asked for anything. */
    connections: () => connections,
  };
}

export function answerJson(res: ServerResponse, body: unknown, headers: Record<string, string> = {}): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  res.writeHead(200, { 'content-type': 'application/json', ...headers }).end(text);
}
