import { createHash } from 'node:crypto';
import {
  announcementOf,
  type CursorCodec,
  createHistory,
  epochMs,
  type History,
  type LiveResources,
  type NamedEntry,
  type Principal,
  versionUri,
} from '@unsay/live-resources';
import type { EventLimits, EventMethods, EventOutcome, EventStart, EventType } from './event-methods.ts';
import type { JsonObject } from './json.ts';

const MOST_URIS = 1_024;

/** A correction: the only thing that happens to live resources and is an event. Its words are read, never sent. */
export const CORRECTION: EventType = {
  name: 'correction',
  title: 'Correction',
  description:
    'An instruction was revised or withdrawn: what was said of its previous version is no longer so. Read the URI for the words that hold now.',
  inputSchema: {
    type: 'object',
    properties: {
      subject: {
        type: 'string',
        description: 'Only this subject; every subject you were granted when left out.',
      },
      uris: {
        type: 'array',
        items: { type: 'string' },
        maxItems: MOST_URIS,
        description: 'Only these resources; all that you may read when left out.',
      },
    },
    additionalProperties: false,
  },
  payloadSchema: {
    type: 'object',
    properties: {
      uri: { type: 'string' },
      version: { type: 'integer', minimum: 2 },
      previousVersion: { type: 'integer', minimum: 1 },
      kind: { type: 'string', enum: ['revise', 'withdraw'] },
    },
    required: ['uri', 'version', 'previousVersion', 'kind'],
    additionalProperties: false,
  },
};

const TOO_MANY =
  'subject: you were granted more than one cursor can follow. Subscribe to one subject at a time.';

/** Corrections as events. The cursor of one is good for its (sub, clientId) and its subscription alone. */
export function correctionEvents(live: LiveResources): EventMethods<Principal> {
  return {
    types: [CORRECTION],
    async read(principal, { args }, from, limits) {
      const { subject, uris } = args;
      const reader = typeof subject === 'string' ? ofSubject(principal, subject) : principal;
      const wanted = Array.isArray(uris) ? new Set<unknown>(uris) : null;
      const cursors = cursorsOf(live.cursors, principal, args);
      const history = createHistory(live.partition, live.store, cursors.codec);
      // Taken before anything is looked at: what happens meanwhile is in what is read, and nothing is in neither.
      const mark = await history.mark(reader);
      if (mark === null) return { kind: 'bad_argument', message: TOO_MANY };
      if (from === null) return nothingSince(mark, false, Number.NEGATIVE_INFINITY);
      const { cursor, order } = placeOf(from);
      const isWanted = (entry: NamedEntry): boolean =>
        announcementOf(entry)?.kind === 'correction' &&
        entry.position > order &&
        (wanted === null || wanted.has(entry.uri));
      const missed = await history.since(reader, cursor, isWanted, limits.replay);
      if (!cursors.wasOpened()) return { kind: 'bad_cursor' };
      if (missed.kind === 'unknown') return nothingSince(mark, true, Number.NEGATIVE_INFINITY);
      const { entries, through } = missed;
      return batchOf({ history, entries, through, mark, cursor, limits, now: live.clock.now() });
    },
  };
}

/** What was read, cut to what one batch tells of. */
function batchOf(read: {
  readonly history: History;
  readonly entries: readonly NamedEntry[];
  readonly through: number;
  readonly mark: string;
  readonly cursor: string;
  readonly limits: EventLimits;
  readonly now: number;
}): EventOutcome {
  const { history, entries, limits } = read;
  const oldest = limits.maxAgeMs === null ? Number.NEGATIVE_INFINITY : read.now - limits.maxAgeMs;
  const isYoung = ({ writtenAt }: NamedEntry): boolean => epochMs(writtenAt) >= oldest;
  const first = entries.findIndex(isYoung);
  const skipped = first === -1 ? entries.length : first;
  const told = entries.slice(skipped, skipped + limits.most);
  const before = entries[skipped - 1];
  const events = told.map((entry) => ({
    eventId: versionUri(entry.uri, entry.version),
    timestamp: entry.writtenAt,
    data: correctionData(entry),
    place: { cursor: history.nameOf(entry), order: entry.position },
  }));
  const from = before === undefined ? read.cursor : history.nameOf(before);
  const last = events.at(-1)?.place;
  const hasMore = skipped + told.length < entries.length;
  return {
    kind: 'batch',
    events,
    truncated: skipped > 0,
    hasMore,
    from,
    cursor: last?.cursor ?? read.mark,
    end: hasMore && last !== undefined ? last : { cursor: read.mark, order: read.through },
  };
}

function nothingSince(mark: string, truncated: boolean, order: number): EventOutcome {
  const end = { cursor: mark, order };
  return { kind: 'batch', events: [], truncated, hasMore: false, from: mark, cursor: mark, end };
}

/** What is said of a correction: never its words. */
export function correctionData({ uri, version, kind }: NamedEntry): JsonObject {
  return { uri, version, previousVersion: version - 1, kind };
}

function placeOf(from: Exclude<EventStart, null>): { readonly cursor: string; readonly order: number } {
  return typeof from === 'string' ? { cursor: from, order: Number.NEGATIVE_INFINITY } : from;
}

/** The same caller with no subject but this one; with none when it was not granted, as for one that is nobody's. */
function ofSubject(principal: Principal, subject: string): Principal {
  const granted = principal.subjects === '*' || principal.subjects.has(subject);
  return { ...principal, subjects: new Set(granted ? [subject] : []) };
}

/**
 * The cursors of one subscription of one principal. A history names an entry by one name for everyone; here every
 * name is the holder's own, and it opens for the same arguments only, since a mark holds no more than the lanes that
 * the subscription follows.
 */
function cursorsOf(
  cursors: CursorCodec,
  { sub, clientId }: Principal,
  { subject, uris }: JsonObject,
): { readonly codec: CursorCodec; wasOpened(): boolean } {
  const holder = { sub, clientId };
  const asked = JSON.stringify([subject ?? null, Array.isArray(uris) ? [...new Set(uris)].sort() : null]);
  // Bound by its hash: a long subscription is worked through once, and not for each event.
  const subscription = createHash('sha256').update(asked).digest('base64url');
  const purposeOf = (purpose: string): string => `${purpose} of ${CORRECTION.name} events ${subscription}`;
  let opened = false;
  return {
    codec: {
      seal: (purpose, _holder, content) => cursors.seal(purposeOf(purpose), holder, content),
      open(purpose, _holder, token) {
        const content = cursors.open(purposeOf(purpose), holder, token);
        opened ||= content !== null;
        return content;
      },
    },
    wasOpened: () => opened,
  };
}
