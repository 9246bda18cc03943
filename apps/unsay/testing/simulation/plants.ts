import type { Append, FactStore, Instant, Nonce, Position, RequestKey } from '@unsay/live-resources';
import type { OpenStore } from './engines.ts';
import { aroundEachCall } from './gated.ts';
import type { Plant } from './plant.ts';

/** Faults that break one promise each. A simulation that does not catch them proves nothing. */
export const PLANTS: readonly Plant[] = [
  {
    name: 'an append that is answered before it is kept',
    kept: (kept) => withStore(kept, writingBehind(kept.store)),
  },
  {
    name: 'an idempotency key that is forgotten at a restart',
    kept: (kept, { earlier }) =>
      withStore(kept, {
        answered: (id) => kept.store.answered(`${id} of life ${earlier}`),
        append: ({ request, ...entry }) =>
          kept.store.append({ ...entry, request: request && ofLife(request, earlier) }),
      }),
  },
  {
    name: 'a signature that is forgotten at a restart',
    kept: (kept, { earlier }) =>
      withStore(kept, {
        append: ({ nonce, ...entry }) =>
          kept.store.append({ ...entry, nonce: nonce && ofLife(nonce, earlier) }),
      }),
  },
  {
    name: 'a revocation that is forgotten at a restart',
    kept: (kept) => ({ ...kept, revocations: { ...kept.revocations, all: async () => [] } }),
  },
  {
    name: 'a lane whose time goes back with the clock',
    kept: (kept) =>
      withStore(kept, {
        heads: async (fact, lane) => {
          const heads = await kept.store.heads(fact, lane);
          return heads.lane === null ? heads : { ...heads, lane: { ...heads.lane, writtenAt: LONG_AGO } };
        },
      }),
  },
  {
    name: 'a follower that starts one entry late after a restart',
    context: ({ hub }, { earlier }) => {
      const updated = hub.resourceUpdated.bind(hub);
      let skipped = earlier === 0;
      hub.resourceUpdated = (...change) => {
        if (skipped) updated(...change);
        skipped = true;
      };
    },
  },
  {
    name: 'a notification that is dropped now and then',
    context: ({ hub }) => {
      const updated = hub.resourceUpdated.bind(hub);
      let count = 0;
      hub.resourceUpdated = (...change) => {
        count += 1;
        if (count % 5 !== 0) updated(...change);
      };
    },
  },
  {
    name: 'a replay that leaves out the last of what was missed',
    kept: (kept) =>
      withStore(kept, {
        laneEntries: async (...asked) => (await kept.store.laneEntries(...asked)).slice(0, -1),
      }),
  },
  {
    name: 'a session that is forgotten in part at a restart',
    kept: (kept) => ({
      ...kept,
      sessions: {
        ...kept.sessions,
        load: async (id) => {
          const session = await kept.sessions.load(id);
          return session && { ...session, subscriptions: session.subscriptions.slice(1) };
        },
      },
    }),
  },
  {
    name: 'a new fact that is announced to nobody',
    context: ({ hub }) => {
      hub.resourceListChanged = () => undefined;
    },
  },
  {
    name: 'a right that is checked when a stream opens and never again',
    context: ({ hub }) => {
      const updated = hub.resourceUpdated.bind(hub);
      hub.resourceUpdated = (uri, _mayHear, place) => updated(uri, () => true, place);
    },
  },
  {
    name: 'a stream that outlives its token',
    context: (context) => {
      const { verifier } = context;
      Object.assign(context, { verifier: { ...verifier, isLive: () => true } });
    },
  },
  {
    name: 'a cursor that moves past what was given',
    live: (live) => ({
      ...live,
      async changes(principal, query) {
        const outcome = await live.changes(principal, query);
        return outcome.kind === 'changes' ? { ...outcome, changes: outcome.changes.slice(0, 2) } : outcome;
      },
    }),
  },
  {
    name: 'a cursor that stays behind what was given',
    live: (live) => ({
      ...live,
      async changes(principal, query) {
        const outcome = await live.changes(principal, query);
        if (outcome.kind !== 'changes' || outcome.changes.length !== 1) return outcome;
        return { ...outcome, cursor: query.after ?? outcome.cursor };
      },
    }),
  },
  {
    name: 'corrections of every subject',
    live: (live) => ({
      ...live,
      changes: (principal, query) => live.changes({ ...principal, subjects: '*' }, query),
    }),
  },
  {
    name: 'withdrawn words that are still served',
    kept: (kept) => withStore(kept, { withdrawnThrough: async () => 0 }),
  },
  {
    name: 'a sign of life that does not come',
    context: (context) => {
      const { endpoint } = context;
      Object.assign(context, {
        endpoint: {
          ...endpoint,
          handle: (...[req, res, ...rest]: Parameters<typeof endpoint.handle>) => {
            const write = res.write.bind(res) as (...args: unknown[]) => boolean;
            res.write = (...args: unknown[]) => (args[0] === ': keep-alive\n\n' ? true : write(...args));
            return endpoint.handle(req, res, ...rest);
          },
        },
      });
    },
  },
  {
    name: 'a condition that is not looked at',
    live: (live) => ({
      ...live,
      publish: (who, publication) => live.publish(who, { ...publication, ifMatch: null }),
    }),
  },
];

const LONG_AGO = '2020-01-01T00:00:00.000Z' as Instant;

function withStore(kept: OpenStore, faults: Partial<FactStore>): OpenStore {
  return { ...kept, store: { ...kept.store, ...faults } };
}

function ofLife<Remembered extends Nonce | RequestKey>(remembered: Remembered, life: number): Remembered {
  return { ...remembered, id: `${remembered.id} of life ${life}` };
}

/** A store that answers an append at once and writes it when it is next asked for something. */
function writingBehind(store: FactStore): FactStore {
  let behind: Append | null = null;
  const caughtUp = aroundEachCall(store, async (call) => {
    const late = behind;
    behind = null;
    if (late !== null) await store.append(late);
    return call();
  });
  return {
    ...caughtUp,
    async append(entry) {
      const { fact, lane } = await caughtUp.heads(entry.version, entry.version);
      const follows = (fact?.versionHash ?? null) === entry.version.prevHash;
      if (!follows || (lane?.ordinal ?? 0) + 1 !== entry.version.laneOrdinal) return { kind: 'moved' };
      behind = entry;
      return { kind: 'appended', position: ((await store.journalHead()) + 1) as Position };
    },
  };
}
