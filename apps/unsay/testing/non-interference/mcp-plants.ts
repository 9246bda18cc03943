import type { LiveResources, Principal, Randomness } from '@unsay/live-resources';
import type { McpApplication, PromptMethods, ResourceHistory, ResourceMethods } from '@unsay/mcp';
import { everyFact, exists, unchecked } from './existence.ts';
import { counted, counting, written } from './tally.ts';
import type { Plant } from './world.ts';

/** Leaks on the paths of MCP. Each answers by something that the asker may not see. */
export const MCP_PLANTS: readonly Plant[] = [
  {
    name: 'a list without the second check',
    live: (live) => ({ ...live, list: (principal, ...page) => live.list(unchecked(principal), ...page) }),
  },
  {
    name: 'pages that are cut before they are filtered',
    live: (live) => ({
      ...live,
      async list(principal, after, limit) {
        const page = await live.list(unchecked(principal), after, limit);
        const own = await live.list(principal, after, limit);
        return page.filter(({ uri }) => own.some((fact) => fact.uri === uri));
      },
    }),
  },
  {
    name: 'a list cursor that holds how much there is',
    live: (live) => ({
      ...live,
      cursors: {
        seal: (purpose, holder, content) => live.cursors.seal(purpose, holder, `${content} ${written(live)}`),
        open: (purpose, holder, token) => live.cursors.open(purpose, holder, token)?.split(' ')[0] ?? null,
      },
      publish: counting(live),
    }),
  },
  {
    name: 'a read that looks at the scheme of the URI and not at the fact',
    live: (live) => ({
      ...live,
      read: (principal, uri) =>
        live.read(
          principal.scopes.has('care.read.user') ? unchecked(principal) : principal,
          otherScheme(uri),
        ),
    }),
  },
  {
    name: 'a read that fails in another way for what is forbidden',
    application: withResources(({ read }, live) => ({
      async read(principal, uri) {
        const outcome = await read(principal, uri);
        const forbidden = outcome.kind === 'absent' && (await exists(live, uri));
        return forbidden ? { kind: 'found', contents: [] } : outcome;
      },
    })),
  },
  {
    name: 'older versions that are not checked',
    live: (live) => ({
      ...live,
      read: (principal, uri) => live.read(uri.endsWith('/v1') ? unchecked(principal) : principal, uri),
    }),
  },
  {
    name: 'templates of whatever there is',
    live: counted,
    application: withResources(({ templates }, live) => ({
      templates: (principal) => templates(written(live) > 6 ? unchecked(principal) : principal),
    })),
  },
  {
    name: 'completion from all facts',
    application: withResources(({ complete }) => ({
      complete: async (principal, ...rest) => (await complete?.(unchecked(principal), ...rest)) ?? [],
    })),
  },
  {
    name: 'completion of the prompt from all facts',
    application: withPrompts(({ complete }) => ({
      complete: async (principal, ...rest) => (await complete?.(unchecked(principal), ...rest)) ?? [],
    })),
  },
  {
    name: 'a briefing that says how much it leaves out',
    application: withPrompts(({ get }, live) => ({
      async get(principal, name, args) {
        const outcome = await get(principal, name, args);
        if (outcome.kind !== 'found') return outcome;
        return {
          ...outcome,
          result: { ...outcome.result, description: `of ${(await everyFact(live)).length}` },
        };
      },
    })),
  },
  {
    name: 'an error text that names the audience',
    application: withPrompts(({ get }, live) => ({
      async get(principal, name, args) {
        const outcome = await get(principal, name, args);
        const facts = (await everyFact(live)).filter(({ subject }) => subject === args.subject);
        if (outcome.kind !== 'bad_argument' || facts[0] === undefined) return outcome;
        return {
          kind: 'bad_argument',
          message: `subject: there are facts for the ${facts[0].audience} only.`,
        };
      },
    })),
  },
  {
    name: 'an acknowledgement of whatever exists',
    application: withResources((_methods, live) => ({ mayHear: (_principal, uri) => exists(live, uri) })),
  },
  {
    name: 'news of a longer list for everyone',
    announcer: (announcer) => ({
      resourceUpdated: (uri, mayHear) => announcer.resourceUpdated(uri, mayHear),
      resourceListChanged: () => announcer.resourceListChanged(() => true),
      historyGrew: (mayHear) => announcer.historyGrew(mayHear),
    }),
  },
  {
    name: 'subscriptions that are checked neither when made nor when served',
    application: withResources(() => ({ mayHear: async () => true })),
    announcer: (announcer) => ({
      resourceUpdated: (uri) => announcer.resourceUpdated(uri, () => true),
      resourceListChanged: (mayHear) => announcer.resourceListChanged(mayHear),
      historyGrew: (mayHear) => announcer.historyGrew(mayHear),
    }),
  },
  {
    name: 'news of a correction for those who asked for the list',
    announcer: (announcer) => ({
      resourceUpdated(uri, mayHear) {
        announcer.resourceUpdated(uri, mayHear);
        announcer.resourceListChanged(() => true);
      },
      resourceListChanged: (mayHear) => announcer.resourceListChanged(mayHear),
      historyGrew: (mayHear) => announcer.historyGrew(mayHear),
    }),
  },
  {
    name: 'a log of everybody’s corrections',
    announcer: (announcer) => ({
      resourceUpdated(uri, mayHear, place, logged) {
        announcer.resourceUpdated(uri, mayHear, place);
        // Nobody subscribes to it, so that it reaches those who read the log and nobody else.
        announcer.resourceUpdated('log', () => true, place, logged);
      },
      resourceListChanged: (mayHear) => announcer.resourceListChanged(mayHear),
      historyGrew: (mayHear) => announcer.historyGrew(mayHear),
    }),
  },
  {
    name: 'corrections of every lane',
    live: (live) => ({ ...live, changes: (principal, query) => live.changes(unchecked(principal), query) }),
  },
  {
    name: 'a cursor of changes that holds a place in the journal',
    live: (live) => ({
      ...live,
      async changes(principal, query) {
        const outcome = await live.changes(principal, query);
        const lanes = outcome.kind === 'changes' && live.cursors.open('changes', principal, outcome.cursor);
        if (outcome.kind !== 'changes' || !lanes) return outcome;
        const place: unknown[] = ['journal', await live.store.journalHead()];
        const longer = JSON.stringify([...(JSON.parse(lanes) as unknown[]), place]);
        return { ...outcome, cursor: live.cursors.seal('changes', principal, longer) };
      },
    }),
  },
  { name: 'session ids that count everybody’s', randomness: (bytes) => countingAll(bytes, 'mcp session id') },
  {
    name: 'event ids that hold how much there is',
    live: counted,
    application: withHistory(({ mark, since }, live) => ({
      mark: async (principal) => `${written(live)}.${await mark(principal)}`,
      since: (principal, token, ...rest) => since(principal, token.split('.')[1] ?? token, ...rest),
    })),
  },
  {
    name: 'a replay that tells of what is not the reader’s',
    live: counted,
    application: withHistory(({ since }, live) => ({
      async since(...question) {
        const missed = await since(...question);
        if (missed.kind === 'unknown' || written(live) % 2 === 0) return missed;
        return { ...missed, changes: [...missed.changes, { uri: null, id: String(question[1]) }] };
      },
    })),
  },
  {
    name: 'a log that is replayed as it was to whoever comes back',
    application: withHistory(({ since }) => ({
      since: (principal, token, wanted, limit) =>
        since(wanted.log ? unchecked(principal) : principal, token, wanted, limit),
    })),
  },
  {
    name: 'a gap that counts what is not the reader’s',
    live: counted,
    application: withHistory(({ since }, live) => ({
      async since(...question) {
        const missed = await since(...question);
        return written(live) % 2 === 1 ? { kind: 'unknown', through: missed.through } : missed;
      },
    })),
  },
];

/** An application whose history differs in some methods. */
function withHistory(
  change: (sound: ResourceHistory<Principal>, live: LiveResources) => Partial<ResourceHistory<Principal>>,
): NonNullable<Plant['application']> {
  return withResources(({ history }, live) =>
    history === undefined ? {} : { history: { ...history, ...change(history, live) } },
  );
}

function otherScheme(uri: string): string {
  return uri.startsWith('care://') ? uri.replace('care://', 'care-internal://') : uri;
}

function countingAll(randomness: Randomness, counted: string): Randomness {
  let drawn = 0;
  return {
    bytes(purpose, record, length) {
      if (purpose !== counted) return randomness.bytes(purpose, record, length);
      drawn += 1;
      return randomness.bytes(purpose, String(drawn), length);
    },
  };
}

type Application = McpApplication<Principal>;

function withResources(
  fault: (methods: ResourceMethods<Principal>, live: LiveResources) => Partial<ResourceMethods<Principal>>,
): (application: Application, live: LiveResources) => Application {
  return (application, live) => {
    const { resources } = application;
    if (resources === undefined) throw new Error('an application without resources has none to leak');
    return { ...application, resources: { ...resources, ...fault(resources, live) } };
  };
}

function withPrompts(
  fault: (methods: PromptMethods<Principal>, live: LiveResources) => Partial<PromptMethods<Principal>>,
): (application: Application, live: LiveResources) => Application {
  return (application, live) => {
    const { prompts } = application;
    if (prompts === undefined) throw new Error('an application without prompts has none to leak');
    return { ...application, prompts: { ...prompts, ...fault(prompts, live) } };
  };
}
