import type { KeyObject } from 'node:crypto';
import { createServer, type Server } from 'node:http';
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
import { hostNamesOf } from './http/origin.ts';
import { loadPages } from './http/pages.ts';
import { createHttpServer } from './http/server.ts';
import { wellKnownDocuments } from './http/well-known.ts';
import { createLimits } from './limits/limits.ts';
import { careApplication } from './mcp/care-application.ts';
import { careStatics } from './mcp/care-statics.ts';
import { type MetricsServer, refuseTakenMetricsPort, serveMetrics } from './observation/metrics-server.ts';
import type { Observation } from './observation/observation.ts';
import { createReadiness } from './observation/readiness.ts';
import type { OpenFolder } from './open-folder.ts';
import { offerPage, type Page } from './pairing-pages.ts';
import { asTyped } from './settings/as-typed.ts';
import type { Settings } from './settings/settings.ts';
import { SettingError } from './settings/settings.ts';
import { createSignIn } from './sign-in/sign-in.ts';
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
  readonly observation: Observation;
}

/** A client of the older protocol that is silent for so long starts anew. */
export const SESSION_IDLE_MS = 30 * 60_000;

const PAGES = fileURLToPath(new URL('../dist/web/', import.meta.url));

/** Starts the server on an open folder and closes the folder with it. */
export async function runServer(given: ServerParts): Promise<Running> {
  const { settings, print, monotonicNow, observation } = given;
  const folder: OpenFolder = { ...given.folder, trail: observation.trail(given.folder.trail) };
  const parts: ServerParts = { ...given, folder };
  let context: HttpContext | null = null;
  let control: Server | null = null;
  let metrics: MetricsServer | null = null;
  const server = createHttpServer(folder.clock, () => context);
  const port = await listen(server, settings);
  try {
    const publicUrl = settings.publicUrl ?? `http://localhost:${port}`;
    await folder.meta.set('public_url', publicUrl);
    context = await assemble(parts, publicUrl, port);
    const { endpoint, pairing } = context;
    metrics = await openMetrics(parts);
    control = await serveControl(settings.data, folder, observation.onFault);
    const metricsPort = metrics?.port ?? null;
    for (const line of await startUpText({ folder, settings, pairing, publicUrl, metricsPort })) print(line);
    print(`ready in ${Math.round(monotonicNow())} ms`);
    observation.log.write({ event: 'started', port, metricsPort });
    return {
      publicUrl,
      port,
      async close() {
        observation.log.write({ event: 'stopping' });
        // What comes from now on is told that the server is not ready; what has begun is answered.
        context = null;
        control?.close();
        // Whoever watches or exports would keep the process for as long as they like.
        control?.closeAllConnections();
        await endpoint.closeAll();
        await closed(server);
        metrics?.close();
        await folder.close();
        observation.log.write({ event: 'stopped' });
      },
    };
  } catch (error) {
    // Left open, the port would keep a process alive that serves nothing.
    control?.close();
    metrics?.close();
    server.close();
    server.closeAllConnections();
    throw error;
  }
}

/** Builds what the routes work with, and ties the folder's operations to it. */
export async function assemble(
  { folder, settings, randomness, monotonicNow, system, systemKey, observation }: ServerParts,
  publicUrl: string,
  port: number,
): Promise<HttpContext> {
  const { live, clock, meta } = folder;
  const { onFault } = observation;
  const hub = createListenHub<Principal>({
    monotonicNow,
    streamsPerOwner: settings.streamsPerPrincipal,
    keepAliveMs: settings.heartbeatSeconds * 1000,
    onFault,
  });
  hub.start();
  const pages = loadPages(PAGES);
  const application = careApplication(live, settings.pageSize, await careStatics(pages));
  const endpoint = createEndpoint<Principal>({
    application,
    hub,
    randomness,
    monotonicNow,
    onFault,
    observe: observation.message,
    sessions: folder.sessions,
    limits: { sessionIdleMs: SESSION_IDLE_MS, replay: settings.replayLimit },
  });
  let announced = await live.store.journalHead();
  const follower = announceJournal(live, hub, announced);
  const watchers = new Set<() => void>();
  const deliver = async (entry: JournalEntry): Promise<void> => {
    for (const wake of watchers) wake();
    await follower.take(entry);
    if (entry.position > announced) announced = entry.position;
  };
  observation.metrics.follow({
    streams: () => hub.counters,
    sessions: () => endpoint.sessions,
    lag: async () => (await live.store.journalHead()) - announced,
  });
  // What another server did: a token that it ended, then what it published, so that nobody hears who no longer may.
  await folder.others.listen(async () => {
    await folder.revocations.load();
    hub.sweep();
    const head = await live.store.journalHead();
    if (head <= announced) return;
    for (const wake of watchers) wake();
    await follower.wake();
    announced = Math.max(announced, head) as typeof announced;
  }, onFault);
  const pairing = createPairing({ issuer: folder.issuer(), clock, randomness });
  folder.hooks = {
    published: (entry) => void deliver(entry).catch(onFault),
    revoked() {
      hub.sweep();
      folder.others.announce();
    },
    pair: (page) => pairAddress(folder, pairing, publicUrl, page),
    watch(wake) {
      watchers.add(wake);
      return () => void watchers.delete(wake);
    },
  };
  const limits = createLimits({
    ...settings,
    monotonicNow,
    windowOf: folder.windowOf,
    limited: observation.metrics.limited,
  });
  return {
    live,
    hub,
    endpoint,
    verifier: folder.verifier(),
    pairing,
    signIn: createSignIn({ folder, settings, publicUrl, randomness, limits, onFault }),
    listeners: folder.listeners,
    limits,
    trail: folder.trail,
    systemKey,
    system,
    anonymous: anonymousPrincipal(folder),
    publicUrl,
    hostNames: hostNamesOf(publicUrl),
    allowedOrigins: new Set([
      new URL(publicUrl).origin,
      ...loopbackOrigins(port),
      ...settings.allowedOrigins,
    ]),
    bodyLimit: settings.bodyLimit,
    documents: wellKnownDocuments({
      publicUrl,
      issuer: settings.authServer ?? publicUrl,
      keys: folder.signingKeys,
    }),
    pages,
    deliver,
    onFault,
    isReady: createReadiness(
      async () => {
        await live.store.journalHead();
        await meta.set('readiness', 'asked');
      },
      monotonicNow,
      onFault,
    ),
    observe: observation.request,
  };
}

/**
 * Refuses ports that cannot be opened before anything is made for a server that then could not run.
 *
 * @throws SettingError
 */
export async function refuseTakenPort(settings: Settings): Promise<void> {
  const server = createServer();
  await listen(server, settings);
  await new Promise((resolve) => server.close(resolve));
  if (settings.metricsPort !== null) await refuseTakenMetricsPort(settings.metricsPort);
}

async function openMetrics({ settings, observation }: ServerParts): Promise<MetricsServer | null> {
  if (settings.metricsPort === null) return null;
  const { metrics, onFault } = observation;
  metrics.watchProcess();
  return serveMetrics(settings.metricsPort, metrics, onFault);
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
      `Port ${port} is in use. Stop what uses it, or choose another: UNSAY_PORT=8790 ${asTyped('serve')}.`,
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

async function pairAddress(
  { accounts, listeners }: OpenFolder,
  pairing: Pairing,
  publicUrl: string,
  page: unknown,
): ReturnType<OpenFolder['hooks']['pair']> {
  const address = await offerPage({ pairing, accounts, listeners, publicUrl }, String(page) as Page);
  if (address !== null) return { ok: true, data: { address } };
  return { ok: false, data: { error: 'There is no such page.', next: 'Choose device, console or landing.' } };
}
