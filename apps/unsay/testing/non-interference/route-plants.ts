import type { Principal } from '@unsay/live-resources';
import type { ListenHub } from '@unsay/mcp';
import { exists, unchecked } from './existence.ts';
import type { Plant } from './world.ts';

/** Leaks beside MCP: answers to writers, proofs, headers and limits. */
export const ROUTE_PLANTS: readonly Plant[] = [
  {
    name: 'a conflict for a writer who may not know of the fact',
    live: (live) => ({
      ...live,
      async publish(principal, publication) {
        const outcome = await live.publish(principal, publication);
        const oracle = outcome.kind === 'absent' && (await exists(live, publication.draft.target.uri));
        return oracle ? { kind: 'store_rejected' } : outcome;
      },
    }),
  },
  {
    name: 'a preview that is refused in another way where there is a fact',
    live: (live) => ({
      ...live,
      async preview(principal, draft, ifMatch) {
        const outcome = await live.preview(principal, draft, ifMatch);
        const oracle = outcome.kind === 'absent' && (await exists(live, draft.target.uri));
        return oracle ? { kind: 'store_rejected' } : outcome;
      },
    }),
  },
  {
    name: 'a moved head for a writer who may not know of the fact',
    live: (live) => ({
      ...live,
      async publish(principal, publication) {
        const outcome = await live.publish(principal, publication);
        if (outcome.kind !== 'absent' || publication.ifMatch === null) return outcome;
        const head = await live.store.version(publication.draft.target, null);
        return { kind: 'head_moved', head: head?.versionHash ?? null };
      },
    }),
  },
  {
    name: 'a number of subscribers that counts everybody’s streams',
    context: (context) => ({ ...context, hub: hubThatCountsAll(context.hub) }),
  },
  {
    name: 'proofs of every lane',
    live: (live) => ({ ...live, verify: (principal, query) => live.verify(unchecked(principal), query) }),
  },
  {
    name: 'a header that tells how much was written',
    context: (context) => ({
      ...context,
      endpoint: {
        ...context.endpoint,
        closeAll: () => context.endpoint.closeAll(),
        async handle(req, res, body, caller) {
          res.setHeader('etag', `"${await context.live.store.journalHead()}"`);
          await context.endpoint.handle(req, res, body, caller);
        },
      },
    }),
  },
  {
    name: 'a limit on streams that everyone shares',
    context: (context) => ({
      ...context,
      endpoint: {
        ...context.endpoint,
        async handle(req, res, body, caller) {
          const isFull = context.hub.counters.open >= 2;
          if (isFull && !req.headers['mcp-method']?.includes('resources/')) {
            res.writeHead(429, { 'content-length': 0 }).end();
            return;
          }
          await context.endpoint.handle(req, res, body, caller);
        },
      },
    }),
  },
  {
    name: 'a limit on requests that everyone shares',
    context(context) {
      let left = 12;
      const shared = async (): Promise<number | null> => (left-- > 0 ? null : 1);
      return { ...context, limits: { ...context.limits, request: shared, write: shared } };
    },
  },
];

function hubThatCountsAll(hub: ListenHub<Principal>): ListenHub<Principal> {
  return {
    resourceUpdated: (uri, mayHear) => hub.resourceUpdated(uri, mayHear),
    resourceListChanged: (mayHear) => hub.resourceListChanged(mayHear),
    historyGrew: (mayHear) => hub.historyGrew(mayHear),
    get isTelling() {
      return hub.isTelling;
    },
    told: () => hub.told(),
    listeners: () => hub.counters.open,
    sweep: () => hub.sweep(),
    start: () => hub.start(),
    attach: (caller, res, frames) => hub.attach(caller, res, frames),
    close: (graceMs) => hub.close(graceMs),
    get counters() {
      return hub.counters;
    },
  };
}
