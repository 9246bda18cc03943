import type { McpApplication, ResourceEntry } from '@unsay/mcp';
import { SERVED_URIS } from './vocabulary.ts';

/** Everyone: the probe looks at programs, not at people. */
export interface Visitor {
  readonly kind: 'visitor';
}

export const visitor: Visitor = { kind: 'visitor' };

/** What the probe serves: enough for a client to go through a whole session, in pages, with a fact that changes. */
export interface ProbeApplication {
  readonly application: McpApplication<Visitor>;
  /** Changes the wound's fact and gives its URI. */
  change(): string;
}

const PAGE = 3;
const CHANGING = 'care://ray/wound';

/** Makes the application. Its names are Unsay's, so that what a client did here can be replayed there. */
export function createProbeApplication(): ProbeApplication {
  let version = 1;
  const textOf = (uri: string): string => `What holds about ${uri}, as of version ${version}.`;
  const application: McpApplication<Visitor> = {
    serverInfo: { name: 'unsay-probe', title: 'Probe', version: '0.1.0' },
    instructions: 'This server watches how a client behaves. It holds nothing that is true.',
    resources: {
      async list(_visitor, cursor) {
        const start = cursor === undefined ? 0 : SERVED_URIS.indexOf(cursor) + 1;
        if (cursor !== undefined && start === 0) return { kind: 'bad_cursor' };
        const page = SERVED_URIS.slice(start, start + PAGE);
        const nextCursor = start + PAGE < SERVED_URIS.length ? page.at(-1) : undefined;
        return {
          kind: 'page',
          resources: page.map(entryOf),
          ...(nextCursor !== undefined && { nextCursor }),
        };
      },
      templates: () => [{ uriTemplate: 'care://{subject}/{topic}', name: 'care' }],
      async read(_visitor, uri) {
        if (!SERVED_URIS.includes(uri)) return { kind: 'absent' };
        return { kind: 'found', contents: [{ uri, mimeType: 'text/plain', text: textOf(uri) }] };
      },
      mayHear: async (_visitor, uri) => SERVED_URIS.includes(uri),
    },
    prompts: {
      list: () => [{ name: 'brief_carer', arguments: [{ name: 'subject', required: true }] }],
      async get(_visitor, name) {
        if (name !== 'brief_carer') return { kind: 'absent' };
        const content = { type: 'text' as const, text: SERVED_URIS.map(textOf).join('\n') };
        return { kind: 'found', result: { messages: [{ role: 'user', content }] } };
      },
    },
    tools: [
      {
        name: 'whats_changed',
        description: 'What changed since the cursor.',
        inputSchema: {
          type: 'object',
          properties: { subject: { type: 'string' }, after: { type: 'string' }, since: { type: 'string' } },
        },
        annotations: { readOnlyHint: true },
        async call() {
          const structuredContent = { changes: [], cursor: `v${version}` };
          return { kind: 'ok', content: [{ type: 'text', text: 'Nothing.' }], structuredContent };
        },
      },
    ],
  };
  return {
    application,
    change() {
      version += 1;
      return CHANGING;
    },
  };
}

function entryOf(uri: string): ResourceEntry {
  return { uri, name: uri.replace(/^.*\//, ''), mimeType: 'text/plain' };
}
