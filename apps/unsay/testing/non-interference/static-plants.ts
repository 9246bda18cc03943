import type { LiveResources, Principal } from '@unsay/live-resources';
import type { McpApplication, ResourceMethods } from '@unsay/mcp';
import { CARD_URI } from '../../src/mcp/device-card.ts';
import { counted, written } from './tally.ts';
import type { Plant } from './world.ts';

/** Leaks in what is the same for everyone: the card and the skill. */
export const STATIC_PLANTS: readonly Plant[] = [
  {
    name: 'a card with the number of facts built in',
    live: counted,
    application: withResources(({ read }, live) => ({
      async read(principal, uri) {
        const outcome = await read(principal, uri);
        if (uri !== CARD_URI || outcome.kind === 'absent') return outcome;
        const counting = outcome.contents.map((content) =>
          'text' in content
            ? { ...content, text: `${content.text}<!-- ${written(live)} facts -->` }
            : content,
        );
        return { kind: 'found', contents: counting };
      },
    })),
  },
  {
    name: 'a card whose line in the list says how many facts there are',
    live: counted,
    application: withResources(({ list }, live) => ({
      async list(principal, cursor) {
        const outcome = await list(principal, cursor);
        if (outcome.kind === 'bad_cursor') return outcome;
        const resources = outcome.resources.map((entry) =>
          entry.uri === CARD_URI ? { ...entry, description: `Of ${written(live)} facts.` } : entry,
        );
        return { ...outcome, resources };
      },
    })),
  },
  {
    name: 'a skill whose description counts',
    live: counted,
    application: ({ skills = [], ...application }, live) => ({
      ...application,
      skills: skills.map((skill) => ({
        ...skill,
        get frontmatter() {
          return { ...skill.frontmatter, description: `Of ${written(live)} facts.` };
        },
      })),
    }),
  },
];

function withResources(
  fault: (methods: ResourceMethods<Principal>, live: LiveResources) => Partial<ResourceMethods<Principal>>,
): (application: McpApplication<Principal>, live: LiveResources) => McpApplication<Principal> {
  return (application, live) => {
    const { resources } = application;
    if (resources === undefined) throw new Error('an application without resources has none to leak');
    return { ...application, resources: { ...resources, ...fault(resources, live) } };
  };
}
