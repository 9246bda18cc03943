import { afterAll, beforeAll, expect, it } from 'vitest';
import { initialize, modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';

const data = temporaryFolder();
let server: RunningServer;
let token: string;

beforeAll(async () => {
  server = await startServer(data);
  token = await server.mint('care.read.user');
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

it('instructions, in both eras, tell a host to ask what changed before it answers', async () => {
  const discover = modernMessage('server/discover', {});
  const modern = await post(server.url, discover, modernHeaders(token, 'server/discover'));
  const legacy = await post(server.url, initialize(), { authorization: `Bearer ${token}` });
  for (const answer of [modern, legacy]) {
    const { result } = (await answer.json()) as { result: { instructions: string; capabilities: object } };
    expect(result.instructions).toMatch(/Before every answer call whats_changed/);
    expect(result.capabilities).toHaveProperty('logging');
  }
});

it('whats_changed is listed with the schema of its answer', async () => {
  const answer = await post(server.url, modernMessage('tools/list', {}), modernHeaders(token, 'tools/list'));
  const { result } = (await answer.json()) as { result: { tools: Record<string, unknown>[] } };
  const schema = result.tools.find(({ name }) => name === 'whats_changed')?.outputSchema as {
    properties: { changes: { items: { required: string[] } } };
    required: string[];
  };
  expect(schema.required).toEqual(['changes', 'cursor']);
  expect(schema.properties.changes.items.required).toEqual([
    'uri',
    'version',
    'kind',
    'value',
    'previousVersion',
    'previousValue',
    'writtenAt',
    'ageSeconds',
    'author',
    'attested',
    'retraction',
  ]);
});
