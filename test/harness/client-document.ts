import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSelfSignedCertificate } from '@unsay/auth/testing';

/** A host on this machine that serves client metadata documents over TLS. */
export interface DocumentHost {
  /** Puts a document at a path of the host, and gives its address, which is the id of the client. */
  serve(path: string, metadata: object): string;
  /** Whether anybody asked for what is at a path. */
  fetched(path: string): boolean;
  /** What a server needs in its environment to fetch from here. */
  readonly settings: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts a host of client metadata documents. It vouches for itself, so a server has to be told of its certificate. */
export async function startDocumentHost(): Promise<DocumentHost> {
  const { cert, key } = createSelfSignedCertificate(['localhost']);
  const folder = mkdtempSync(join(tmpdir(), 'unsay-documents-'));
  const authority = join(folder, 'certificate.pem');
  writeFileSync(authority, cert);
  const documents = new Map<string, object>();
  const fetched = new Set<string>();
  const host = createServer({ cert, key }, (req, res) => {
    const { url: path = '' } = req;
    const found = documents.get(path);
    fetched.add(path);
    res.writeHead(found === undefined ? 404 : 200, { 'content-type': 'application/json' });
    res.end(JSON.stringify(found ?? {}));
  });
  await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
  const origin = `https://localhost:${(host.address() as AddressInfo).port}`;
  return {
    serve(path, metadata) {
      const address = `${origin}${path}`;
      documents.set(path, { client_id: address, token_endpoint_auth_method: 'none', ...metadata });
      return address;
    },
    fetched: (path) => fetched.has(path),
    settings: { UNSAY_PRIVATE_CLIENT_HOSTS: 'localhost', NODE_EXTRA_CA_CERTS: authority },
    close: () =>
      new Promise((resolve) => {
        rmSync(folder, { recursive: true });
        host.closeAllConnections();
        host.close(() => resolve());
      }),
  };
}
