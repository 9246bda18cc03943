import type { KeyObject } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { createPairing, type Pairing } from '@unsay/auth/authorization-server';
import type { JournalEntry, Principal, Randomness } from '@unsay/live-resources';
import { createEndpoint, createListenHub } from '@unsay/mcp';
import { announceJournal } from '@unsay/mcp/live';
import { serveControl } from './control/control-server.ts';
import { SCOPES } from './domain/care-partition.ts';
import { DEMONSTRATION_SUBJECT } from './domain/demonstration-plan.ts';
import type { HttpContext } from './http/context.ts';
import { loadPages } from './http/pages.ts';
import { createHttpServer } from './http/server.ts';
import { wellKnownDocuments } from './http/well-known.ts';
import { careApplication } from './mcp/care-application.ts';
import type { OpenFolder } from './open-folder.ts';
import { offerPage, type Page } from './pairing-pages.ts';
import { reportFault } from './report-fault.ts';
import type { Settings } from './settings/settings.ts';
import { SettingError } from './settings/settings.ts';
import { startUpText } from './start-up-text.ts';

/** A server that answers. */
export interface Running {
  readonly publicUrl: string;
  readonly port: number;
  /** Ends streams with a result, lets answers finish, and gives the folder up. */
  close(): Promise<void>;
}

/** What a server runs on. */
export interface ServerParts {
  readonly folder: OpenFolder;
  readonly settings: Settings;
  readonly print: (line: string) => void;
  readonly randomness: Randomness;
  readonly system: Principal;
  readonly systemKey: KeyObject;
  /** Milliseconds of a clock that never goes back, from the start of the process. */
  readonly monotonicNow: () => number;
}

const PAGES = fileURLToPath(new URL('../dist/web/', import.meta.url));

/** Starts the server on an open folder and closes the folder with it. */
export async function runServer(parts: ServerParts): Promise<Running> {
  const { folder, settings, print, monotonicNow } = parts;
  let context: HttpContext | null = null;
  let control: Server | null = null;
  const server = createHttpServer(folder.clock, () => context);
  const port = await listen(server, settings);
  try {
    const publicUrl = settings.publicUrl ?? `http://localhost:${port}`;
    folder.meta.set('public_url', publicUrl);
    context = await assemble(parts, publicUrl, port);
    const { endpoint, pairing } = context;
    control = await serveControl(settings.data, folder, reportFault);
    for (const line of await startUpText({ folder, settings, pairing, publicUrl })) print(line);
    print(`ready in ${Math.round(monotonicNow())} ms`);
    return {
      publicUrl,
      port,
      async close() {
        control?.close();
        // Whoever watches or exports would keep the process for as long as they like.
        control?.closeAllConnections();
        await endpoint.closeAll();
        await closed(server);
        folder.close();
      },
    };
  } catch (error) {
    // Left open, the port would keep a process alive that serves nothing.
    control?.close();
    server.close();
    server.closeAllConnections();
    throw error;
  }
}

/** Builds what the routes work with, and ties the folder's operations to it. */
export async function assemble(
  { folder, settings, randomness, monotonicNow, system, systemKey }: ServerParts,
  publicUrl: string,
  port: number,
): Promise<HttpContext> {
  const { live, clock } = folder;
  const hub = createListenHub<Principal>({
    monotonicNow,
    streamsPerOwner: settings.streamsPerPrincipal,
    keepAliveMs: settings.heartbeatSeconds * 1000,
    onFault: reportFault,
  });
  hub.start();
  const application = careApplication(live, settings.pageSize);
  const endpoint = createEndpoint<Principal>({
    application,
    hub,
    randomness,
    monotonicNow,
    onFault: reportFault,
  });
  const follower = announceJournal(live, hub, await live.store.journalHead());
  const watchers = new Set<() => void>();
  const deliver = (entry: JournalEntry): Promise<void> => {
    for (const wake of watchers) wake();
    return follower.take(entry);
  };
  const pairing = createPairing({ issuer: folder.issuer(), clock, randomness });
  folder.hooks = {
    published: (entry) => void deliver(entry).catch(reportFault),
    revoked: () => hub.sweep(),
    pair: (page) => pairAddress(pairing, publicUrl, page),
    watch(wake) {
      watchers.add(wake);
      return () => void watchers.delete(wake);
    },
  };
  return {
    live,
    hub,
    endpoint,
    verifier: folder.verifier(),
    pairing,
    trail: folder.trail,
    systemKey,
    system,
    anonymous: anonymousPrincipal(folder),
    publicUrl,
    allowedOrigins: new Set([
      new URL(publicUrl).origin,
      ...loopbackOrigins(port),
      ...settings.allowedOrigins,
    ]),
    bodyLimit: settings.bodyLimit,
    documents: wellKnownDocuments(publicUrl, folder.signingKey),
    pages: loadPages(PAGES),
    deliver,
    onFault: reportFault,
  };
}

function listen(server: Server, { host, port }: Settings): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explainListen(error, host, port)));
    server.listen(port, host, () => resolve((server.address() as AddressInfo).port));
  });
}

function explainListen(error: NodeJS.ErrnoException, host: string, port: number): Error {
  if (error.code === 'EADDRINUSE') {
    return new SettingError(
      `Port ${port} is in use. Stop what uses it, or choose another: UNSAY_PORT=8790 npm start.`,
    );
  }
  if (error.code === 'EACCES')
    return new SettingError(`Port ${port} may not be opened. Choose one above 1023 with UNSAY_PORT.`);
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND') {
    return new SettingError(`${host} is no address of this machine. Choose another with UNSAY_HOST.`);
  }
  return error;
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
    // An answer that is not out after this long will not be.
    setTimeout(() => server.closeAllConnections(), 2000).unref();
  });
}

function loopbackOrigins(port: number): string[] {
  return [`http://localhost:${port}`, `http://127.0.0.1:${port}`];
}

function anonymousPrincipal({ meta }: OpenFolder): Principal {
  const subjects = meta.get('demonstration') === 'seeded' ? [DEMONSTRATION_SUBJECT] : [];
  return {
    sub: 'anonymous',
    clientId: 'none',
    scopes: new Set([SCOPES.readUser]),
    subjects: new Set(subjects),
  };
}

function pairAddress(
  pairing: Pairing,
  publicUrl: string,
  page: unknown,
): ReturnType<OpenFolder['hooks']['pair']> {
  const address = offerPage(pairing, publicUrl, String(page) as Page);
  if (address !== null) return { ok: true, data: { address } };
  return { ok: false, data: { error: 'There is no such page.', next: 'Choose device, console or landing.' } };
}
