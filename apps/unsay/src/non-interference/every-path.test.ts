import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Asker, call } from '../../testing/non-interference/asker.ts';
import { openMemory } from '../../testing/non-interference/engine.ts';
import { QUESTIONS } from '../../testing/non-interference/questions.ts';
import type { WireRequest } from '../../testing/non-interference/wire.ts';
import { startWorld, type World } from '../../testing/non-interference/world.ts';
import { ROUTES } from '../http/server.ts';

/** A path that the server has and the suite does not ask is a place for a leak: it joins `QUESTIONS`. */

let world: World;
const asked: WireRequest[] = [];
let asker: Asker;

beforeAll(async () => {
  world = await startWorld(openMemory, null);
  const { wire } = world;
  const listening: World = {
    ...world,
    wire: {
      ...wire,
      request(request) {
        asked.push(request);
        return wire.request(request);
      },
    },
  };
  const scopes = ['care.read.user', 'care.read.assistant', 'care.write', 'care.speak', 'care.audit'];
  const token = await world.mint({ sub: 's', clientId: 'c', scopes, subjects: ['*'], ttlSeconds: 3600 });
  const kept = { session: null, listCursor: null, changesCursor: null, lastEvent: null };
  asker = { world: listening, token, kept, streams: [] };
  for (const era of ['modern', 'legacy'] as const) {
    for (const { ask } of QUESTIONS) await ask(asker, era, 'care://ray/wound');
  }
});

afterAll(() => world.close());

function methodsAsked(): readonly string[] {
  return asked.flatMap(({ path, body = '' }) =>
    path === '/mcp' ? (/"method":"([^"]+)"/.exec(body)?.[1] ?? []) : [],
  );
}

async function resultOf(method: string): Promise<Readonly<Record<string, unknown>>> {
  const answer = await call(asker, 'modern', method, {});
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n'))).result;
}

async function namesOf(method: string, member: string): Promise<readonly string[]> {
  return ((await resultOf(method))[member] as { name: string }[]).map(({ name }) => name);
}

describe('the suite asks', () => {
  it('every route with every method', () => {
    const ofRoutes = Object.entries(ROUTES).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    const done = new Set(
      asked.map(
        ({ method, path }) =>
          `${method} ${path.replace(/\?.*$/, '').replace(/^\/interaction\/.*/, '/interaction')}`,
      ),
    );
    // A session's stream is opened by the traces themselves.
    done.add('GET /mcp');
    expect(ofRoutes.filter((route) => !done.has(route))).toEqual([]);
    expect(ofRoutes).toContain('POST /write');
  });

  it('every document that is public', () => {
    const paths = Object.keys(world.context.documents);
    expect(paths).toContain('/jwks');
    for (const path of paths) expect(asked.map((request) => request.path)).toContain(path);
  });

  it('every tool, every prompt and every type of event', async () => {
    const tools = await namesOf('tools/list', 'tools');
    const prompts = await namesOf('prompts/list', 'prompts');
    expect(tools).toContain('whats_changed');
    const events = await namesOf('events/list', 'events');
    expect(prompts).toContain('brief_carer');
    expect(events).toContain('correction');
    const bodies = asked.map(({ body = '' }) => body).join('\n');
    const isAsked = (name: unknown): boolean => bodies.includes(`"params":{"name":"${name}"`);
    expect([...tools, ...prompts, ...events].filter((name) => !isAsked(name))).toEqual([]);
  });

  it('every resource that is the same for everyone', () => {
    const bodies = asked.map(({ body = '' }) => body).join('\n');
    for (const uri of ['ui://unsay/device', 'skill://unsay/SKILL.md'])
      expect(bodies).toContain(`"method":"resources/read","params":{"uri":"${uri}"`);
  });

  it('every method of the capabilities that the server declares', async () => {
    const { capabilities } = await resultOf('server/discover');
    // What is declared besides these has methods of its own, which the suite has to learn.
    expect(capabilities).toEqual({
      resources: { subscribe: true, listChanged: true },
      prompts: {},
      tools: {},
      completions: {},
      logging: {},
      extensions: {
        'io.modelcontextprotocol/events': {},
        'io.modelcontextprotocol/skills': {},
        'io.modelcontextprotocol/ui': {},
      },
    });
    const methods = methodsAsked();
    for (const method of [
      'initialize',
      'server/discover',
      'resources/list',
      'resources/read',
      'resources/templates/list',
      'resources/unsubscribe',
      'prompts/list',
      'prompts/get',
      'tools/list',
      'tools/call',
      'completion/complete',
      'logging/setLevel',
      'events/list',
      'events/poll',
      'skills/list',
      'skills/get',
    ]) {
      expect(methods).toContain(method);
    }
  });
});
