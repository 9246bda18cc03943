import {
  announcementOf,
  createHistory,
  type LiveResources,
  type Principal,
  parseFactUri,
} from '@unsay/live-resources';
import type { MissedChange, ResourceHistory } from './application.ts';
import { correctionData } from './live-events.ts';

/** What happened to live resources, for readers that come back. */
export function resourceHistory(live: LiveResources): ResourceHistory<Principal> {
  const history = createHistory(live.partition, live.store, live.cursors);
  return {
    mark: (principal) => history.mark(principal),
    async since(principal, token, { uris, list, log }, limit) {
      const missed = await history.since(
        principal,
        token,
        (entry) => (announcementOf(entry)?.kind === 'creation' ? list : log || uris.has(entry.uri)),
        limit,
      );
      if (missed.kind === 'unknown') return missed;
      const changes = missed.entries.map((entry): MissedChange => {
        const id = history.nameOf(entry);
        if (announcementOf(entry)?.kind === 'creation') return { uri: null, id };
        return { uri: entry.uri, id, logged: correctionData(entry) };
      });
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
