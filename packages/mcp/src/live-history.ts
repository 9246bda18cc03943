import {
  announcementOf,
  createHistory,
  type LiveResources,
  type Principal,
  parseFactUri,
} from '@unsay/live-resources';
import type { MissedChange, ResourceHistory } from './application.ts';

/** What happened to live resources, for readers that come back. */
export function resourceHistory(live: LiveResources): ResourceHistory<Principal> {
  const history = createHistory(live.partition, live.store, live.cursors);
  return {
    mark: (principal) => history.mark(principal),
    async since(principal, token, { uris, list }, limit) {
      const missed = await history.since(
        principal,
        token,
        (entry) => (announcementOf(entry)?.kind === 'creation' ? list : uris.has(entry.uri)),
        limit,
      );
      if (missed.kind === 'unknown') return missed;
      const changes: MissedChange[] = missed.entries.map((entry) => ({
        uri: announcementOf(entry)?.kind === 'creation' ? null : entry.uri,
        id: history.nameOf(entry),
      }));
      return { kind: 'missed', changes, through: missed.through };
    },
    async audible(principal, uris) {
      const heard = await Promise.all(
        uris.map(async (uri) => {
          if (parseFactUri(uri)?.version !== null) return false;
          return (await live.read(principal, uri)).kind === 'found';
        }),
      );
      return uris.filter((_, index) => heard[index]);
    },
  };
}
