import { createSecretKey } from 'node:crypto';
import { createSigningKey, createTokenIssuer, jwks } from '@unsay/auth/authorization-server';
import {
  createRevocationRegistry,
  createTokenRevoker,
  createTokenVerifier,
} from '@unsay/auth/resource-server';
import {
  type Clock,
  createCursorCodec,
  createLiveResources,
  type FactStore,
  type LiveResources,
  type Randomness,
} from '@unsay/live-resources';
import { createAuditTrail } from '../../src/audit/audit-trail.ts';
import { ALL_SCOPES, carePartition } from '../../src/domain/care-partition.ts';
import type { HttpContext } from '../../src/http/context.ts';
import { createHttpServer } from '../../src/http/server.ts';
import { unsaySkill } from '../../src/mcp/unsay-skill.ts';
import { createLog } from '../../src/observation/log.ts';
import { createObservation } from '../../src/observation/observation.ts';
import type { OpenFolder } from '../../src/open-folder.ts';
import { revokeToken } from '../../src/operations/token-operations.ts';
import { assemble } from '../../src/run-server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { signInParts } from '../sign-in-parts.ts';
import { SOLE_SERVER } from '../sole-server.ts';
import type { Engine, OpenStore } from './engines.ts';
import { createGate, gatedStore, gatedVerifier } from './gated.ts';
import { capturingIntervals } from './intervals.ts';
import type { Accepting } from './network.ts';
import type { Plant } from './plant.ts';
import type { Turns } from './turns.ts';
import type { VirtualTime } from './virtual-time.ts';

/** One life of the server: real parts, in this process, until it is killed. */
export interface Node extends Accepting {
  /** What it keeps, reached without waiting for a turn. */
  readonly store: FactStore;
  readonly live: LiveResources;
  /** Ends a token, durably; open streams of it end at once. */
  revoke(token: string): Promise<void>;
  /** Dies in the middle of whatever it does. */
  kill(): void;
}

/** What every node of a run is given. */
export interface NodeParts {
  readonly engine: Engine;
  readonly clock: Clock;
  readonly time: VirtualTime;
  readonly turns: Turns;
  /** Fresh for each life: a real node does not draw what an earlier one drew. */
  readonly randomness: Randomness;
  /** How many lives there were before. */
  readonly earlier: number;
  readonly plant: Plant | null;
}

export const PUBLIC_URL = 'http://localhost:8787';
export const WRITE_SECRET = 'a secret of the system writer, simulated';

// It is hashed beside the event loop, which takes as long as the machine likes: before anything is simulated.
await unsaySkill();

const SIGNING_KEY = createSigningKey();
const EXPECTATIONS = { issuer: PUBLIC_URL, audience: `${PUBLIC_URL}/mcp`, keys: jwks([SIGNING_KEY]) };
const CURSOR_SECRET = new Uint8Array(32).fill(7);
const SETTINGS = readSettings(
  {},
  {
    UNSAY_KEY_PROVIDER: 'none',
    // The clock of limits stands still here, or goes by leaps: nobody is to reach one by that.
    UNSAY_REQUESTS_PER_SECOND: '1000000',
    UNSAY_WRITES_PER_MINUTE: '1000000',
    UNSAY_FAILED_AUTH_PER_MINUTE: '1000000',
    // Smaller than what most may read, so that lists are cut while they change.
    UNSAY_PAGE_SIZE: '3',
    // Smaller than what is often missed, so that the gap is said too.
    UNSAY_REPLAY_LIMIT: '4',
  },
);

/** Signs tokens that every node accepts. */
export function issuerOf(clock: Clock, randomness: Randomness): ReturnType<typeof createTokenIssuer> {
  return createTokenIssuer({ ...EXPECTATIONS, key: SIGNING_KEY, clock, randomness });
}

/** Starts a node on what its engine keeps. */
export async function startNode(parts: NodeParts): Promise<Node> {
  const { engine, clock, time, turns, randomness, plant } = parts;
  const life = { dead: false };
  const gate = createGate(turns, life, () => life.dead);
  const opened = await turns.beside(() => engine.open(clock, randomness));
  const kept = plant?.kept?.(opened, parts) ?? opened;
  const honest = createLiveResources({
    partition: carePartition,
    store: gatedStore(kept.store, gate),
    clock,
    randomness,
    defaultAuthorLabel: 'your care team',
    cursors: createCursorCodec(CURSOR_SECRET),
  });
  const live = plant?.live?.(honest, parts) ?? honest;
  const folder = await folderOn({ ...kept, sessions: gatedStore(kept.sessions, gate) }, live, parts);
  const observation = createObservation({
    clock,
    monotonicNow: () => time.elapsed,
    secret: CURSOR_SECRET,
    isTraced: () => false,
  });
  // What counts is loaded from the disk, which takes as long as it takes: not while a simulated second passes.
  await observation.metrics.text();
  const assembling = capturingIntervals(() =>
    assemble(
      {
        folder,
        settings: SETTINGS,
        print: () => undefined,
        randomness,
        system: folder.operator,
        systemKey: createSecretKey(Buffer.from(WRITE_SECRET)),
        monotonicNow: () => time.elapsed,
        observation,
      },
      PUBLIC_URL,
      8787,
    ),
  );
  const starting = { done: false };
  void assembling.result.finally(() => {
    starting.done = true;
  });
  // Nobody is connected yet, so there is nothing to overlap with.
  while (!starting.done) await turns.settle();
  const context: HttpContext = {
    ...(await assembling.result),
    verifier: gatedVerifier(folder.verifier(), gate, turns),
  };
  plant?.context?.(context, parts);
  const cancels = assembling.intervals.map(({ run, everyMs }) => time.every(everyMs, run));
  const server = createHttpServer(clock, () => context);
  // These run in the time of the machine, which on a busy one is long.
  server.keepAliveTimeout = 0;
  server.headersTimeout = 0;
  server.requestTimeout = 0;
  server.timeout = 0;
  return {
    store: kept.store,
    live,
    accept: (socket) => void server.emit('connection', socket),
    async revoke(token) {
      const { ok } = await turns.beside(async () => revokeToken(folder, { token }));
      if (!ok) throw new Error('no token was revoked');
      engine.answered();
    },
    kill() {
      life.dead = true;
      engine.killed();
      turns.abandon(life);
      for (const cancel of cancels) cancel();
    },
  };
}

async function folderOn(
  { meta, revocations: kept, sessions }: OpenStore,
  live: LiveResources,
  { clock, turns, randomness }: NodeParts,
): Promise<OpenFolder> {
  const revocations = createRevocationRegistry(kept, clock);
  await turns.beside(() => revocations.load());
  return {
    live,
    meta,
    sessions,
    clock,
    trail: createAuditTrail(live.store, null, createLog(clock).fault),
    operator: { sub: 'system', clientId: 'unsay', scopes: new Set(ALL_SCOPES), subjects: '*' },
    ...(await signInParts({ clock, randomness, revocations, signingKey: SIGNING_KEY })),
    revocations,
    issuer: () => issuerOf(clock, randomness),
    verifier: () => createTokenVerifier({ ...EXPECTATIONS, clock, revocations }),
    revoker: () => createTokenRevoker({ ...EXPECTATIONS, revocations }),
    ...SOLE_SERVER,
    hooks: {
      published: () => undefined,
      revoked: () => undefined,
      pair: async () => ({ ok: false, data: {} }),
      watch: () => () => undefined,
    },
  };
}
