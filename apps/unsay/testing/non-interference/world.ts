import { createSecretKey } from 'node:crypto';
import { once } from 'node:events';
import {
  createSigningKey,
  createTokenIssuer,
  jwks,
  type SigningKey,
  type TokenGrant,
} from '@unsay/auth/authorization-server';
import {
  createRevocationRegistry,
  createTokenRevoker,
  createTokenVerifier,
} from '@unsay/auth/resource-server';
import {
  createCursorCodec,
  createLiveResources,
  type LiveResources,
  type Principal,
  type Randomness,
  seededRandomness,
} from '@unsay/live-resources';
import { createEndpoint, type McpApplication } from '@unsay/mcp';
import { type Announcer, announceJournal } from '@unsay/mcp/live';
import { createAuditTrail } from '../../src/audit/audit-trail.ts';
import { ALL_SCOPES, carePartition } from '../../src/domain/care-partition.ts';
import type { HttpContext } from '../../src/http/context.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { careApplication } from '../../src/mcp/care-application.ts';
import { careStatics } from '../../src/mcp/care-statics.ts';
import { createLog } from '../../src/observation/log.ts';
import { createObservation } from '../../src/observation/observation.ts';
import type { OpenFolder } from '../../src/open-folder.ts';
import { revokeToken } from '../../src/operations/token-operations.ts';
import { assemble, type ServerParts } from '../../src/run-server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { signInParts } from '../sign-in-parts.ts';
import { SOLE_SERVER } from '../sole-server.ts';
import type { Engine, OpenEngine } from './engine.ts';
import { createWire, type Wire } from './wire.ts';

/** A fault put into a world on purpose: each member takes a real part and gives a leaking one. */
export interface Plant {
  readonly name: string;
  readonly live?: (live: LiveResources) => LiveResources;
  readonly randomness?: (randomness: Randomness) => Randomness;
  readonly application?: (
    application: McpApplication<Principal>,
    live: LiveResources,
  ) => McpApplication<Principal>;
  readonly announcer?: (announcer: Announcer) => Announcer;
  readonly context?: (context: HttpContext) => HttpContext;
}

/** A server of real parts on an engine, with a clock that a trace moves and bytes that a seed decides. */
export interface World {
  readonly wire: Wire;
  readonly context: HttpContext;
  /** A token; the same grant always has the same rights, in every world. */
  mint(grant: TokenGrant): Promise<string>;
  revoke(token: string): Promise<void>;
  /** Moves all time on, and ends what has run out. */
  advance(seconds: number): void;
  /** What the server reported as its own fault: an internal error in both worlds would compare as equal. */
  readonly faults: readonly unknown[];
  /** Resolves when everything that was published is announced. */
  delivered(): Promise<void>;
  close(): Promise<void>;
}

/** When every world begins. */
export const START = Date.parse('2026-12-01T09:00:00Z');
export const PUBLIC_URL = 'http://localhost:8787';

const PAGE_SIZE = 2;
const SETTINGS = readSettings(
  {},
  {
    UNSAY_KEY_PROVIDER: 'none',
    // The clock of limits stands still here, or goes by leaps: nobody is to reach one by that.
    UNSAY_REQUESTS_PER_SECOND: '1000000',
    UNSAY_WRITES_PER_MINUTE: '1000000',
    UNSAY_FAILED_AUTH_PER_MINUTE: '1000000',
    UNSAY_PAGE_SIZE: String(PAGE_SIZE),
    // A sign of life on a stream comes from a timer of the machine, which no trace moves.
    UNSAY_HEARTBEAT_SECONDS: '3600',
    // Few enough that a trace gets past it.
    UNSAY_REPLAY_LIMIT: '6',
  },
);
// One key and one secret for all worlds: no world is known by them.
const SIGNING_KEY: SigningKey = createSigningKey();
const CURSOR_SECRET = new Uint8Array(32).fill(7);
export const WRITE_SECRET = 'a secret of the system writer, for worlds';

/** Starts a world on an empty engine. */
export async function startWorld(openEngine: OpenEngine, plant: Plant | null): Promise<World> {
  let now = START;
  const faults: unknown[] = [];
  const onFault = (error: unknown): void => void faults.push(error);
  const clock = { now: () => now };
  const seeded = seededRandomness('non-interference');
  const randomness = plant?.randomness?.(seeded) ?? seeded;
  const engine = await openEngine(clock, randomness);
  const honest = createLiveResources({
    partition: carePartition,
    store: engine.store,
    clock,
    randomness,
    defaultAuthorLabel: 'your care team',
    cursors: createCursorCodec(CURSOR_SECRET),
  });
  const live = plant?.live?.(honest) ?? honest;
  await engine.meta.set('demonstration', 'seeded');
  const folder = await folderOn(engine, live, randomness);
  const parts: ServerParts = {
    folder,
    settings: SETTINGS,
    print: () => undefined,
    randomness,
    system: folder.operator,
    systemKey: createSecretKey(Buffer.from(WRITE_SECRET)),
    // It stands still, so that no timer of the machine finds anything to do; `advance` sweeps.
    monotonicNow: () => 0,
    observation: createObservation({ clock, monotonicNow: () => 0, secret: CURSOR_SECRET }),
  };
  const sound = { ...(await assemble(parts, PUBLIC_URL, 8787)), onFault };
  const planted = plant === null ? sound : await withPlant(sound, plant, randomness, folder);
  let announced: Promise<void> = Promise.resolve();
  const context: HttpContext = {
    ...planted,
    deliver(...entry) {
      announced = planted.deliver(...entry);
      return announced;
    },
  };
  const server = createHttpServer(clock, () => context);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const wire = createWire(server);
  return {
    wire,
    context,
    faults,
    async mint(grant) {
      const minted = await folder.issuer().mint(grant);
      if (minted.kind !== 'minted') throw new Error(`no token was minted: ${minted.fault}`);
      return minted.token;
    },
    async revoke(token) {
      const { ok } = await revokeToken(folder, { token });
      if (!ok) throw new Error('no token was revoked');
    },
    advance(seconds) {
      now += seconds * 1000;
      context.hub.sweep();
    },
    delivered: () => announced,
    async close() {
      wire.close();
      await context.hub.close(0);
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
      await engine.close();
    },
  };
}

async function folderOn(engine: Engine, live: LiveResources, randomness: Randomness): Promise<OpenFolder> {
  const { clock } = live;
  const revocations = createRevocationRegistry(engine.revocations, clock);
  await revocations.load();
  const expectations = { issuer: PUBLIC_URL, audience: `${PUBLIC_URL}/mcp`, keys: jwks([SIGNING_KEY]) };
  return {
    live,
    meta: engine.meta,
    sessions: engine.sessions,
    clock,
    trail: createAuditTrail(live.store, null, createLog(clock).fault),
    operator: { sub: 'system', clientId: 'unsay', scopes: new Set(ALL_SCOPES), subjects: '*' },
    ...(await signInParts({ clock, randomness, revocations, signingKey: SIGNING_KEY })),
    revocations,
    issuer: () => createTokenIssuer({ ...expectations, key: SIGNING_KEY, clock, randomness }),
    verifier: () => createTokenVerifier({ ...expectations, clock, revocations }),
    revoker: () => createTokenRevoker({ ...expectations, revocations }),
    ...SOLE_SERVER,
    hooks: {
      published: () => undefined,
      revoked: () => undefined,
      pair: async () => ({ ok: false, data: {} }),
      watch: () => () => undefined,
    },
  };
}

async function withPlant(
  context: HttpContext,
  plant: Plant,
  randomness: Randomness,
  { sessions }: OpenFolder,
): Promise<HttpContext> {
  const { live, hub } = context;
  const sound = careApplication(live, PAGE_SIZE, await careStatics(context.pages));
  const application = plant.application?.(sound, live) ?? sound;
  const endpoint = createEndpoint<Principal>({
    application,
    hub,
    randomness,
    monotonicNow: () => 0,
    onFault: context.onFault,
    sessions,
    limits: { replay: SETTINGS.replayLimit },
  });
  const announcer = plant.announcer?.(hub) ?? hub;
  const follower = announceJournal(live, announcer, await live.store.journalHead());
  const planted = { ...context, endpoint, deliver: () => follower.wake() };
  return plant.context?.(planted) ?? planted;
}
