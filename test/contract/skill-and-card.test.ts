import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ERAS, type Era } from '../harness/era-client.ts';
import { modernHeaders, modernMessage, openSession, post, type RawSession } from '../harness/raw-mcp.ts';
import {
  ROOT,
  type RunningServer,
  removeFolder,
  startServer,
  temporaryFolder,
} from '../harness/running-server.ts';
import { CARD, READ_BOTH } from './demonstration.ts';

const SKILL = 'skill://unsay/SKILL.md';
const FILE = readFileSync(join(ROOT, 'skills/unsay/SKILL.md'));
/** Every kind of principal that the endpoint answers; each is told the same of what is the same for everyone. */
const GRANTS: readonly (readonly [scope: string, subject: string])[] = [
  ['care.read.user', 'ray'],
  ['care.read.assistant', 'ray'],
  [READ_BOTH, '*'],
  [`${READ_BOTH} care.write care.speak care.audit`, 'ray'],
  ['care.read.user', 'somebody-without-facts'],
];

const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

interface Answer {
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number };
}

async function asker(
  era: Era,
  scope: string,
  subject = 'ray',
): Promise<(method: string, params?: object) => Promise<Answer>> {
  const token = await server.mint(scope, { subject });
  const session: RawSession | null = era === 'legacy' ? await openSession(server.url, token) : null;
  return async (method, params = {}) => {
    const { uri, name } = params as { uri?: string; name?: string };
    const answer =
      session === null
        ? await post(
            server.url,
            modernMessage(method, { ...params }),
            modernHeaders(token, method, uri ?? name),
          )
        : await session.send(method, params);
    return (await answer.json()) as Answer;
  };
}

/** The answers to all who can ask, which have to be one. */
async function toEveryone(era: Era, method: string, params: object): Promise<Answer> {
  const answers: Answer[] = [];
  for (const grant of GRANTS) answers.push(await (await asker(era, ...grant))(method, params));
  expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
  return answers[0] ?? {};
}

describe.each(ERAS)('the skill, to a %s client', (era) => {
  it('is the file in the repository, byte for byte, and the same for everyone', async () => {
    const list = (await toEveryone(era, 'skills/list', {})).result;
    const entry = {
      uri: SKILL,
      frontmatter: expect.objectContaining({ name: 'unsay', license: 'Apache-2.0' }),
      resources: [{ uri: SKILL, digest: `sha256:${hash('sha256', FILE)}`, size: FILE.length }],
    };
    expect(list?.skills).toEqual([entry]);
    expect((await toEveryone(era, 'skills/get', { uri: SKILL })).result?.skill).toEqual(entry);
    const { contents } = (await toEveryone(era, 'resources/read', { uri: SKILL })).result ?? {};
    const [content] = contents as [{ text: string; mimeType: string }];
    expect(Buffer.from(content.text)).toEqual(FILE);
    expect(content.mimeType).toBe('text/markdown');
  });

  it('says how long it may be kept where the protocol asks for that', async () => {
    const { result } = await (await asker(era, 'care.read.user'))('skills/list');
    const { ttlMs, cacheScope, resultType } = result ?? {};
    const wanted = era === 'modern' ? [0, 'private', 'complete'] : [undefined, undefined, undefined];
    expect([ttlMs, cacheScope, resultType]).toEqual(wanted);
  });

  it.each([
    'skill://unsay/skill.md',
    'SKILL://unsay/SKILL.md',
    'skill://other/SKILL.md',
    'care://ray/wound',
    '',
  ])('is not found at %j', async (uri) => {
    expect((await toEveryone(era, 'skills/get', { uri })).error?.code).toBe(-32602);
  });
});

describe('the skill', () => {
  it('names nothing that this server does not have', async () => {
    const ask = await asker('modern', READ_BOTH);
    const tools = (await ask('tools/list')).result?.tools as {
      name: string;
      inputSchema: { properties: object };
      outputSchema: { properties: { changes: { items: { properties: object } } } };
    }[];
    const types = (await ask('events/list')).result?.events as { name: string }[];
    const uri = 'care://ray/weight_bearing';
    const { contents } = (await ask('resources/read', { uri })).result as { contents: { _meta: object }[] };
    const known = new Set([
      ...tools.map(({ name }) => name),
      ...tools.flatMap(({ inputSchema }) => Object.keys(inputSchema.properties)),
      ...tools.flatMap(({ outputSchema }) => Object.keys(outputSchema.properties)),
      ...tools.flatMap(({ outputSchema }) => Object.keys(outputSchema.properties.changes.items.properties)),
      ...types.map(({ name }) => name),
      ...Object.keys(contents[0]?._meta ?? {}).map((key) => `_meta["${key}"]`),
      ...['subscriptions/listen', 'resources/subscribe', 'events/stream', 'events/poll'],
      ...['care://', 'care-internal://', CARD, '/v', 'truncated: true', '[STALE', '[WITHDRAWN'],
    ]);
    const named = [...FILE.toString().matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !known.has(name))).toEqual([]);
    for (const tool of tools) expect(named).toContain(tool.name);
    for (const key of ['spoken', 'retraction', 'stale', 'ageSeconds', 'audience', 'author'])
      expect(named).toContain(`_meta["unsay/${key}"]`);
  });
});

describe.each(ERAS)('the card, to a %s client', (era) => {
  const about = {
    uri: CARD,
    mimeType: 'text/html;profile=mcp-app',
    _meta: { ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } },
  };

  it('is the page in one file, the same for everyone', async () => {
    const { contents } = (await toEveryone(era, 'resources/read', { uri: CARD })).result ?? {};
    const page = await (await fetch(`${server.url}/card`)).text();
    expect(contents).toEqual([{ ...about, text: page }]);
    expect(page).not.toMatch(/care:\/\/ray|enoxaparin|https?:\/\//);
  });

  it('is listed to everyone who is known, with and without anything to read', async () => {
    for (const grant of GRANTS) {
      const ask = await asker(era, ...grant);
      const entries: { uri: string }[] = [];
      let cursor: unknown;
      do {
        const { result = {} } = await ask('resources/list', cursor === undefined ? {} : { cursor });
        entries.push(...(result.resources as { uri: string }[]));
        cursor = result.nextCursor;
      } while (cursor !== undefined);
      expect(entries.at(-1)).toMatchObject({ ...about, name: 'device', size: expect.any(Number) });
      expect(entries.filter(({ uri }) => uri.startsWith('skill://'))).toEqual([]);
    }
    expect((await fetch(`${server.url}/mcp`, { method: 'POST' })).status).toBe(401);
  });

  it('belongs to the tool that says what changed, and its extension is declared', async () => {
    const { tools } = (await toEveryone(era, 'tools/list', {})).result as { tools: { name: string }[] };
    const tool = tools.find(({ name }) => name === 'whats_changed');
    expect(tool).toMatchObject({ _meta: { ui: { resourceUri: CARD } } });
    const token = await server.mint('care.read.user');
    const clientInfo = { name: 'contract-test', version: '0' };
    const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
    const answer =
      era === 'modern'
        ? await post(
            server.url,
            modernMessage('server/discover', {}),
            modernHeaders(token, 'server/discover'),
          )
        : await post(
            server.url,
            { jsonrpc: '2.0', id: 0, method: 'initialize', params: opening },
            { authorization: `Bearer ${token}` },
          );
    const { result } = (await answer.json()) as { result: { capabilities: { extensions: object } } };
    expect(result.capabilities.extensions).toMatchObject({
      'io.modelcontextprotocol/skills': {},
      'io.modelcontextprotocol/ui': {},
    });
  });

  it('can be followed with all that is listed, and is not there under another spelling', async () => {
    const ask = await asker(era, 'care.read.user');
    if (era === 'legacy') expect((await ask('resources/subscribe', { uri: CARD })).result).toEqual({});
    const code = era === 'legacy' ? -32002 : -32602;
    for (const uri of ['UI://unsay/device', 'ui://unsay/device/', 'ui://unsay/%64evice', 'ui://unsay/absent'])
      expect((await ask('resources/read', { uri })).error?.code).toBe(code);
  });
});
