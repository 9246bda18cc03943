import {
  announcementOf,
  createHistory,
  type FactVersion,
  followJournal,
  type GlossaryEntry,
  isNamed,
  type JournalFollower,
  type LiveResources,
  mayHear,
  type Position,
  type Principal,
  parseFactUri,
  readableAudiences,
  ruleOfScheme,
} from '@unsay/live-resources';
import type { ResourceEntry, ResourceMethods } from './application.ts';
import type { Place } from './hub/frame-style.ts';
import type { JsonObject } from './json.ts';
import { contentsOf, hints } from './live-contents.ts';
import { correctionData } from './live-events.ts';
import { resourceHistory } from './live-history.ts';
import { type StaticResource, staticAt, withListed } from './static-resources.ts';

export { whatsChangedTool } from './live-changes.ts';
export { correctionEvents } from './live-events.ts';

/** What joins live resources to MCP besides the mechanism itself. */
export interface LiveOptions {
  readonly live: LiveResources;
  /** Entries of one page of `resources/list`. */
  readonly pageSize: number;
  /** What terms mean when a retraction explains them. */
  readonly glossary: readonly GlossaryEntry[];
  /** Resources that are listed among the facts and are the same for everyone; none when left out. */
  readonly statics?: readonly StaticResource[];
  /** A description of an audience's facts, for its template. */
  readonly describe: (scheme: string) => string;
}

/** The part of the hub that delivery needs. */
export interface Announcer {
  resourceUpdated(
    uri: string,
    mayHear: (principal: Principal) => boolean,
    place?: Place,
    logged?: JsonObject,
  ): void;
  resourceListChanged(mayHear: (principal: Principal) => boolean, place?: Place): void;
  historyGrew(mayHear: (principal: Principal) => boolean): void;
}

const LIST = 'resources/list';
const MOST_COMPLETIONS = 100;

/** Live resources as the resources of an MCP server. */
export function liveResourceMethods(options: LiveOptions): ResourceMethods<Principal> {
  const { live, pageSize, glossary, describe, statics = [] } = options;
  const read = contentsOf(live, glossary);
  return {
    async list(principal, cursor) {
      const after = cursor === undefined ? null : live.cursors.open(LIST, principal, cursor);
      if (cursor !== undefined && after === null) return { kind: 'bad_cursor' };
      // One more than a page tells whether there is a next one.
      const facts = await live.list(principal, after, pageSize + 1);
      const entries = facts.map((fact) => listEntry(fact, live));
      const following = withListed(entries, statics, after);
      const resources = following.slice(0, pageSize);
      const last = resources.at(-1)?.uri;
      if (following.length <= pageSize || last === undefined) return { kind: 'page', resources };
      return { kind: 'page', resources, nextCursor: live.cursors.seal(LIST, principal, last) };
    },
    templates: (principal) =>
      readableAudiences(live.partition, principal).map(({ scheme }) => {
        const uriTemplate = `${scheme}://{subject}/{topic}`;
        return { uriTemplate, name: scheme, description: describe(scheme), mimeType: 'text/plain' };
      }),
    async read(principal, uri) {
      const fixed = staticAt(statics, uri);
      if (fixed !== undefined) return { kind: 'found', contents: [fixed.content] };
      const outcome = await live.read(principal, uri);
      if (outcome.kind === 'absent') return outcome;
      return { kind: 'found', contents: read(uri, outcome) };
    },
    async mayHear(principal, uri) {
      // Whoever follows all that is listed is not refused for what never changes.
      if (staticAt(statics, uri)?.listed === true) return true;
      // A version never changes, so there is nothing to hear of one.
      if (parseFactUri(uri)?.version !== null) return false;
      return (await live.read(principal, uri)).kind === 'found';
    },
    history: resourceHistory(live),
    logged: true,
    complete: (principal, template, argument, context) =>
      completeName(live, principal, template, argument, context),
  };
}

/**
 * Follows the journal and announces each entry to those who may hear of it at that moment. The
 * announcement carries a URI and nothing else.
 */
export function announceJournal(live: LiveResources, announcer: Announcer, start: Position): JournalFollower {
  const { partition, store, cursors } = live;
  const history = createHistory(partition, store, cursors);
  return followJournal(store, start, (entry) => {
    const announcement = announcementOf(entry);
    if (announcement === null || !isNamed(entry)) return;
    const hears = (principal: Principal): boolean => mayHear(partition, principal, entry);
    // Named only when a stream needs it, and then once for all of them.
    let name: string | undefined;
    const place: Place = {
      order: entry.position,
      id: () => {
        name ??= history.nameOf(entry);
        return name;
      },
    };
    if (announcement.kind === 'correction')
      announcer.resourceUpdated(announcement.uri, hears, place, correctionData(entry));
    else announcer.resourceListChanged(hears, place);
    announcer.historyGrew(hears);
  });
}

function listEntry(fact: FactVersion, live: LiveResources): ResourceEntry {
  return {
    uri: fact.uri,
    name: fact.topic,
    description: `${fact.topic.replaceAll('_', ' ')} of ${fact.subject}, version ${fact.version}`,
    mimeType: 'text/plain',
    ...(fact.blob === null ? {} : { size: fact.blob.bytes.length }),
    annotations: hints(fact, live),
  };
}

/** Completes a template's subject or topic from the facts that the principal may read, and from nothing else. */
async function completeName(
  live: LiveResources,
  principal: Principal,
  template: string,
  argument: { readonly name: string; readonly value: string },
  context: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const scheme = /^([a-z][a-z0-9-]*):\/\/\{subject\}\/\{topic\}$/.exec(template)?.[1];
  const rule = scheme === undefined ? null : ruleOfScheme(live.partition, scheme);
  if (rule === null || !principal.scopes.has(rule.readScope)) return [];
  const reader = { ...principal, scopes: new Set([rule.readScope]) };
  const names = new Set<string>();
  for await (const fact of factsOf(live, reader)) {
    if (argument.name === 'subject') names.add(fact.subject);
    if (argument.name === 'topic' && fact.subject === (context.subject ?? fact.subject))
      names.add(fact.topic);
  }
  return [...names]
    .filter((name) => name.startsWith(argument.value))
    .sort()
    .slice(0, MOST_COMPLETIONS);
}

async function* factsOf(live: LiveResources, principal: Principal): AsyncGenerator<FactVersion> {
  const size = 100;
  let after: string | null = null;
  do {
    const page: readonly FactVersion[] = await live.list(principal, after, size);
    yield* page;
    after = page.length === size ? (page.at(-1)?.uri ?? null) : null;
  } while (after !== null);
}
