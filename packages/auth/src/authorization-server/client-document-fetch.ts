import type { LookupAddress } from 'node:dns';
import { type IncomingMessage, STATUS_CODES } from 'node:http';
import { request } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.ts';

/** A document of 5 KiB is too large, as the draft recommends (draft-ietf-oauth-client-id-metadata-document). */
const MAX_BODY_BYTES = 5 * 1024 - 1;
const TIMEOUT_MS = 2500;
/** Each is small and short, but anybody can cause one. */
const MAX_AT_ONCE = 32;
const JSON_TYPE = /^application\/(?:[a-z0-9.+-]+\+)?json\s*(?:;|$)/i;

export interface ClientDocumentFetchOptions {
  /** All addresses of a name, as the system's resolver gives them. */
  resolve(hostname: string): Promise<readonly LookupAddress[]>;
  /** Names that may be at private addresses: those of an intranet. Default: none. */
  readonly privateHosts?: readonly string[];
  /** PEM certificates to trust instead of the well-known ones. */
  readonly trustedCertificates?: readonly string[];
  /** For everything together, name and body included. Default: 2500. */
  readonly timeoutMs?: number;
}

export type ClientDocumentFetch = (url: string) => Promise<Response>;

/**
 * Fetches what a stranger names, for them to learn as little as possible of where this server stands: https and GET
 * only, to public addresses only, of which the name is resolved once and to which the connection is then bound. No
 * redirect is followed. Rejects for whatever is not a JSON document below 5 KiB that came in time with status 200.
 */
export function createClientDocumentFetch(options: ClientDocumentFetchOptions): ClientDocumentFetch {
  const { resolve, privateHosts = [], trustedCertificates, timeoutMs = TIMEOUT_MS } = options;
  const privateNames = new Set(privateHosts);
  let underway = 0;

  async function addressesOf(hostname: string): Promise<readonly LookupAddress[]> {
    const literal = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
    const family = isIP(literal);
    const addresses = family === 0 ? await resolve(hostname) : [{ address: literal, family }];
    if (addresses.length === 0) throw new Error('the name has no address');
    const isAllowed =
      privateNames.has(hostname) || addresses.every(({ address }) => isPublicAddress(address));
    // One private address among public ones is enough: which of them is tried is chance.
    if (!isAllowed) throw new Error('the address is not public');
    return addresses;
  }

  async function fetchNow(
    url: URL,
    found: Promise<readonly LookupAddress[]>,
    signal: AbortSignal,
  ): Promise<Response> {
    const addresses = await beforeAbort(found, signal);
    const response = await send(url, addresses, signal, trustedCertificates);
    const { statusCode = 0, headers } = response;
    try {
      if (statusCode !== 200) throw new Error(`status ${statusCode} ${STATUS_CODES[statusCode] ?? ''}`);
      if (!JSON_TYPE.test(headers['content-type'] ?? '')) throw new Error('no JSON document');
      if (headers['content-encoding'] !== undefined) throw new Error('the document is encoded');
      const body = await readBody(response);
      const kept = Object.entries({ 'cache-control': headers['cache-control'], expires: headers.expires });
      return new Response(body, {
        headers: kept.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
      });
    } finally {
      response.destroy();
    }
  }

  function leave(): void {
    underway -= 1;
  }

  return async (address) => {
    const url = new URL(address);
    if (url.protocol !== 'https:') throw new Error('not https');
    if (underway >= MAX_AT_ONCE) throw new Error('too many documents are being fetched');
    underway += 1;
    const found = addressesOf(url.hostname);
    try {
      return await fetchNow(url, found, AbortSignal.timeout(timeoutMs));
    } finally {
      // A look-up that goes on after the time is over keeps its place: the system does few of them at once.
      found.then(leave, leave);
    }
  };
}

function send(
  url: URL,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
  ca: readonly string[] | undefined,
): Promise<IncomingMessage> {
  // The connection asks for the name again; what it gets is what was judged.
  const lookup: LookupFunction = (_hostname, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else if (first !== undefined) done(null, first.address, first.family);
  };
  return new Promise((resolve, reject) => {
    const headers = { accept: 'application/json' };
    const trust = ca === undefined ? {} : { ca: [...ca] };
    const sent = request(
      url,
      { ...trust, agent: false, headers, lookup, signal, maxHeaderSize: 8192 },
      resolve,
    );
    sent.once('error', reject).end();
  });
}

async function readBody(response: IncomingMessage): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response) {
    if (!(chunk instanceof Buffer)) throw new Error('the response has an encoding');
    length += chunk.length;
    if (length > MAX_BODY_BYTES) throw new Error('the document is too large');
    chunks.push(chunk);
  }
  return new Uint8Array(Buffer.concat(chunks));
}

/** A resolver cannot be called off, but nobody has to wait for it. */
function beforeAbort<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    promise.then(resolve, reject);
  });
}
