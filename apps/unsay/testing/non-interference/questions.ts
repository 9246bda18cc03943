import { type Asker, call, initialize, memberOf } from './asker.ts';
import { ROUTE_QUESTIONS } from './route-questions.ts';
import { SIGN_IN_QUESTIONS } from './sign-in-questions.ts';
import type { Era } from './trace.ts';

/** One thing that a principal can ask of the server. `ask` gives the bytes of all its answers. */
export interface Question {
  readonly name: string;
  /** What the question is about; a question about nothing is asked once where others are asked for each URI. */
  readonly about: 'uri' | 'nothing';
  /** Whether it may change a fact. */
  readonly writes?: true;
  ask(asker: Asker, era: Era, uri: string): Promise<string>;
}

const PATIENCE = 20;
export const LOGGING = { 'io.modelcontextprotocol/logLevel': 'debug' };

const SKILL = 'skill://unsay/SKILL.md';

const TEMPLATES = ['care://{subject}/{topic}', 'care-internal://{subject}/{topic}', 'nonsense'];

const MCP_QUESTIONS: readonly Question[] = [
  { name: 'read', about: 'uri', ask: (asker, era, uri) => call(asker, era, 'resources/read', { uri }) },
  {
    name: 'read the first version',
    about: 'uri',
    ask: (asker, era, uri) => call(asker, era, 'resources/read', { uri: `${uri}/v1` }),
  },
  {
    name: 'read and have the log',
    about: 'uri',
    ask: (asker, era, uri) => call(asker, era, 'resources/read', { uri }, LOGGING),
  },
  { name: 'list every page', about: 'nothing', ask: listEveryPage },
  {
    name: 'list from where it stood',
    about: 'nothing',
    ask: (asker, era) => listPage(asker, era, asker.kept.listCursor),
  },
  {
    name: 'list from a cursor of something else',
    about: 'nothing',
    ask: (asker, era) =>
      call(asker, era, 'resources/list', { cursor: asker.kept.changesCursor ?? 'nonsense' }),
  },
  {
    name: 'templates',
    about: 'nothing',
    ask: (asker, era) => call(asker, era, 'resources/templates/list', {}),
  },
  { name: 'complete templates', about: 'uri', ask: completeTemplates },
  {
    name: 'complete the prompt',
    about: 'nothing',
    ask: (asker, era) => complete(asker, era, { type: 'ref/prompt', name: 'brief_carer' }, 'subject', '', {}),
  },
  { name: 'prompts', about: 'nothing', ask: (asker, era) => call(asker, era, 'prompts/list', {}) },
  {
    name: 'brief',
    about: 'uri',
    ask: (asker, era, uri) => call(asker, era, 'prompts/get', briefing(subjectOf(uri))),
  },
  {
    name: 'read the card',
    about: 'nothing',
    ask: (asker, era) => call(asker, era, 'resources/read', { uri: 'ui://unsay/device' }),
  },
  { name: 'skills', about: 'nothing', ask: (asker, era) => call(asker, era, 'skills/list', {}) },
  {
    name: 'get a skill',
    about: 'uri',
    ask: async (asker, era, uri) =>
      (await call(asker, era, 'skills/get', { uri: SKILL })) +
      (await call(asker, era, 'skills/get', { uri })),
  },
  {
    name: 'read the skill',
    about: 'nothing',
    ask: (asker, era) => call(asker, era, 'resources/read', { uri: SKILL }),
  },
  { name: 'tools', about: 'nothing', ask: (asker, era) => call(asker, era, 'tools/list', {}) },
  { name: 'what changed', about: 'nothing', ask: (asker, era) => whatsChanged(asker, era, {}) },
  {
    name: 'what changed since it asked',
    about: 'nothing',
    ask: (asker, era) => whatsChanged(asker, era, { after: asker.kept.changesCursor ?? 'nonsense' }),
  },
  {
    name: 'what changed since a time',
    about: 'nothing',
    ask: (asker, era) => whatsChanged(asker, era, { since: '2026-12-01T09:10:00Z' }),
  },
  {
    name: 'what changed about a subject',
    about: 'uri',
    ask: (asker, era, uri) => whatsChanged(asker, era, { subject: subjectOf(uri) }),
  },
  { name: 'events', about: 'nothing', ask: (asker, era) => call(asker, era, 'events/list', {}) },
  { name: 'events from now', about: 'nothing', ask: (asker, era) => poll(asker, era, { cursor: null }) },
  {
    name: 'events since it asked',
    about: 'nothing',
    ask: (asker, era) => poll(asker, era, { cursor: asker.kept.eventsCursor ?? 'nonsense' }),
  },
  {
    name: 'events since it asked, one at a time',
    about: 'nothing',
    ask: (asker, era) =>
      poll(asker, era, { cursor: asker.kept.eventsCursor ?? 'nonsense', maxEvents: 1, maxAgeMs: 900_000 }),
  },
  {
    name: 'events about a URI',
    about: 'uri',
    ask: (asker, era, uri) =>
      call(asker, era, 'events/poll', {
        name: 'correction',
        cursor: null,
        arguments: { uris: [uri], subject: subjectOf(uri) },
      }),
  },
  {
    name: 'discover',
    about: 'nothing',
    ask: (asker, era) => (era === 'modern' ? call(asker, era, 'server/discover', {}) : initialize(asker)),
  },
  {
    name: 'set the log level',
    about: 'nothing',
    ask: (asker, era) => call(asker, era, 'logging/setLevel', { level: 'debug' }),
  },
  {
    name: 'unsubscribe',
    about: 'uri',
    ask: (asker, era, uri) => call(asker, era, 'resources/unsubscribe', { uri }),
  },
  {
    name: 'an unknown method',
    about: 'uri',
    ask: (asker, era, uri) => call(asker, era, 'facts/count', { uri }),
  },
  {
    name: 'an unknown tool',
    about: 'uri',
    ask: (asker, era, uri) => call(asker, era, 'tools/call', { name: 'count', arguments: { uri } }),
  },
];

/** Everything that is asked. A new path of the server joins the suite as a row here. */
export const QUESTIONS: readonly Question[] = [...MCP_QUESTIONS, ...ROUTE_QUESTIONS, ...SIGN_IN_QUESTIONS];

async function listPage(asker: Asker, era: Era, cursor: string | null): Promise<string> {
  const answer = await call(asker, era, 'resources/list', cursor === null ? {} : { cursor });
  asker.kept.listCursor = memberOf(answer, 'nextCursor') ?? asker.kept.listCursor;
  return answer;
}

async function listEveryPage(asker: Asker, era: Era): Promise<string> {
  let answers = '';
  let cursor: string | null = null;
  for (let page = 0; page < PATIENCE; page += 1) {
    const answer = await listPage(asker, era, cursor);
    answers += answer;
    cursor = memberOf(answer, 'nextCursor');
    if (cursor === null) return answers;
  }
  throw new Error('the list has no end');
}

async function whatsChanged(asker: Asker, era: Era, args: Readonly<Record<string, string>>): Promise<string> {
  const answer = await call(asker, era, 'tools/call', { name: 'whats_changed', arguments: args });
  asker.kept.changesCursor = memberOf(answer, 'cursor') ?? asker.kept.changesCursor;
  return answer;
}

async function poll(asker: Asker, era: Era, params: Readonly<Record<string, unknown>>): Promise<string> {
  const answer = await call(asker, era, 'events/poll', { name: 'correction', ...params });
  const cursor = memberOf(answer, 'cursor');
  if (cursor !== null) asker.kept.eventsCursor = cursor;
  return answer;
}

async function completeTemplates(asker: Asker, era: Era, uri: string): Promise<string> {
  let answers = '';
  for (const template of TEMPLATES) {
    const ref = { type: 'ref/resource', uri: template };
    answers += await complete(asker, era, ref, 'subject', '', {});
    answers += await complete(asker, era, ref, 'topic', '', { subject: subjectOf(uri) });
  }
  return answers;
}

function complete(
  asker: Asker,
  era: Era,
  ref: Readonly<Record<string, string>>,
  name: string,
  value: string,
  known: Readonly<Record<string, string>>,
): Promise<string> {
  const params = { ref, argument: { name, value }, context: { arguments: known } };
  return call(asker, era, 'completion/complete', params);
}

function briefing(subject: string): Readonly<Record<string, unknown>> {
  return { name: 'brief_carer', arguments: { subject } };
}

function subjectOf(uri: string): string {
  return /^[a-z-]+:\/\/([^/]+)/.exec(uri)?.[1] ?? uri;
}
