import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { challenge, protectedResourceMetadataUrl } from '@unsay/auth/resource-server';
import { type Caller, createEndpoint, createListenHub, type Randomness, refuseForeign } from '@unsay/mcp';
import { tapAnswer } from './answer-tap.ts';
import { visitor as anyone, createProbeApplication, type Visitor } from './application.ts';
import type { Credential, Note, Phase } from './arrival.ts';
import { type Authorization, createAuthorization } from './authorization.ts';
import { redactRequest } from './redact-request.ts';
import type { ProbeStore } from './store.ts';
import { createVisitors } from './visitors.ts';

export interface ProbeOptions {
  readonly phase: Phase;
  /** 0 is any free one. */
  readonly port: number;
  readonly store: ProbeStore;
  /** Today, in ISO 8601. */
  readonly day: string;
  readonly randomness: Randomness;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
  readonly onFault: (error: unknown) => void;
}

/** A probe that answers. */
export interface Probe {
  readonly url: string;
  /** Changes the fact that changes, and tells whoever subscribed to it. */
  change(): void;
  close(): Promise<void>;
}

const MOST_BODY = 262_144;
const MOST_ARRIVALS = 100_000;

const caller: Caller<Visitor> = { principal: anyone, sub: 'anyone', clientId: 'probe', isLive: () => true };

/** Starts a probe on loopback. */
export async function startProbe(options: ProbeOptions): Promise<Probe> {
  const { phase, store, monotonicNow, onFault, randomness } = options;
  const { application, change } = createProbeApplication();
  const hub = createListenHub<Visitor>({ monotonicNow, onFault, streamsPerOwner: 1_024 });
  hub.start();
  const endpoint = createEndpoint<Visitor>({ application, hub, randomness, monotonicNow, onFault });
  const visitors = createVisitors();
  const run = store.openRun(options.day);
  let startedAt: number | undefined;
  let place = 0;
  let origin = '';
  let authorization: Authorization | undefined;

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const arrivedAt = monotonicNow();
    startedAt ??= arrivedAt;
    place += 1;
    const ordinal = place;
    const body = await bodyOf(req);
    const notes: Note[] = [];
    const target = req.url ?? '/';
    const raw = { method: req.method ?? '', target, headers: req.headers, body: body ?? new Uint8Array() };
    const number = visitors.numberOf({
      connection: req.socket,
      session: textOf(req.headers['mcp-session-id']),
      clientName: clientNameIn(body),
      agent: req.headers['user-agent'],
    });
    const credential = credentialOf(req, authorization);
    const atMs = Math.round(arrivedAt - startedAt);
    tapAnswer(res, (answered) => {
      const session = textOf(res.getHeader('mcp-session-id'));
      if (session !== undefined) visitors.opened(session, number);
      if (answered.status === 401) visitors.sentAway(number);
      if (ordinal > MOST_ARRIVALS) return;
      const arrival = { ...redactRequest(raw, origin), credential, notes, answer: answered };
      store.keep(run, { phase, visitor: number, place: ordinal, atMs, ...arrival });
    });
    if (refuseForeign(req, res)) return;
    if (body === undefined) return refuse(res, 413);
    await route(req, res, body, credential, notes);
  }

  async function route(
    req: IncomingMessage,
    res: ServerResponse,
    body: Buffer,
    credential: Credential,
    notes: Note[],
  ): Promise<void> {
    const target = req.url ?? '/';
    if (!URL.canParse(target, origin)) return refuse(res, 400);
    const url = new URL(target, origin);
    const walked = authorization?.answer(req.method ?? '', url, body.toString('utf8')) ?? null;
    if (walked !== null) {
      notes.push(...(walked.notes ?? []));
      const headers = { ...walked.headers, 'access-control-allow-origin': '*' };
      return sendJson(res, walked.status, walked.body, headers);
    }
    if (url.pathname !== '/mcp' && url.pathname !== '/mcp/') return refuse(res, 404);
    if (phase === 'auth' && credential !== 'token of this server') return demand(res, credential);
    return endpoint.handle(req, res, req.method === 'POST' ? body : undefined, caller);
  }

  function demand(res: ServerResponse, credential: Credential): void {
    const resourceMetadataUrl = protectedResourceMetadataUrl(`${origin}/mcp`);
    const failure = credential === 'none' ? 'missing' : 'malformed';
    const header = challenge({ resourceMetadataUrl, scopes: ['care.read.user'], failure });
    sendJson(res, 401, { error: 'A token is needed.' }, { 'www-authenticate': header });
  }

  const server = createServer((req, res) => {
    answer(req, res).catch((error: unknown) => {
      onFault(error);
      res.destroy();
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  if (phase === 'auth') {
    authorization = createAuthorization(origin, (purpose) =>
      Buffer.from(randomness.bytes(purpose, '', 32)).toString('base64url'),
    );
  }
  return {
    url: origin,
    change: () => hub.resourceUpdated(change(), () => true),
    async close() {
      await endpoint.closeAll();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function credentialOf({ headers }: IncomingMessage, authorization: Authorization | undefined): Credential {
  const { authorization: header } = headers;
  if (header === undefined) return 'none';
  const token = /^bearer (.+)$/i.exec(header)?.[1];
  if (token === undefined) return 'not a bearer token';
  return authorization?.isIssued(token) === true ? 'token of this server' : 'token of another';
}

/** The name in `clientInfo` of an `initialize`, or in the `_meta` of a request since 2026-07-28. */
function clientNameIn(body: Buffer | undefined): string | undefined {
  try {
    const { params } = JSON.parse(body?.toString('utf8') ?? '');
    const info = params?.clientInfo ?? params?._meta?.['io.modelcontextprotocol/clientInfo'];
    return typeof info?.name === 'string' ? `${info.name} ${info.version}` : undefined;
  } catch {
    return undefined;
  }
}

/** The body; undefined when it is too large. */
async function bodyOf(req: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length <= MOST_BODY) chunks.push(chunk);
  }
  return length <= MOST_BODY ? Buffer.concat(chunks) : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function refuse(res: ServerResponse, status: number): void {
  sendJson(res, status, { error: 'There is nothing here.' });
}

function sendJson(
  res: ServerResponse,
  status: number,
  body: unknown,
  headers?: Readonly<Record<string, string>>,
): void {
  const text = JSON.stringify(body ?? null);
  res.writeHead(status, { 'content-type': 'application/json', ...headers });
  res.end(text);
}
