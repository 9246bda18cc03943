import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  ROOT,
  type RunningServer,
  removeFolder,
  run,
  startServer,
  temporaryFolder,
  testEnvironment,
  WRITE_SECRET,
} from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';
import { blocks, type ClientGuide, codeOf } from './guide-code.ts';

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
const scripts = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).scripts as Record<
  string,
  string
>;
const data = temporaryFolder();
let server: RunningServer;

beforeAll(async () => {
  server = await startServer(data);
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
});

describe('the README', () => {
  const commands = blocks(readme, 'sh').flatMap((block) => block.trim().split('\n'));

  it('has a tour', () => {
    expect(commands.length).toBeGreaterThan(7);
  });

  it.each(commands)('has a command that works: %s', async (command) => {
    const here = command.replaceAll('http://localhost:8787', server.url);
    const { code, stdout } = await run('bash', ['-c', here], testEnvironment(data, {}));
    expect(code).toBe(0);
    expect(stdout.trim()).not.toBe('');
  });

  it('names scripts that exist, and every one that exists', () => {
    const named = [...readme.matchAll(/npm (?:run (?:--silent )?)?([a-z0-9:-]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(new Set(named)).toEqual(new Set(Object.keys(scripts)));
  });
});

describe('the guide for systems', () => {
  it('has code that publishes', async () => {
    const { publish } = await codeOf<SystemGuide>('write-from-a-system');
    const version = { uri: 'care://ray/from-a-system', value: 'Rest today.', authorId: 'ward-system' };
    const answer = await publish(server.url, WRITE_SECRET, version);
    expect(answer.status).toBe(201);
    const { versionHash } = (await answer.json()) as { versionHash: string };
    expect((await publish(server.url, WRITE_SECRET, version, `"${versionHash}"`)).status).toBe(201);
    const late = { ...version, value: 'Rest this week.' };
    expect((await publish(server.url, WRITE_SECRET, late, `"${versionHash}"`)).status).toBe(409);
  });
});

describe('the guide for clients', () => {
  it('has code that says a fact, and takes it back when it is corrected', async () => {
    const { takeBack } = await codeOf<ClientGuide>('read-from-a-client');
    const uri = 'care://ray/wound';
    const said: string[] = [];
    const spoken = Promise.withResolvers<void>();
    const done = takeBack(server.url, await server.mint('care.read.user'), uri, (words) => {
      said.push(words);
      spoken.resolve();
    });
    await spoken.promise;
    expect((await send(server.url, signed(writeBody(uri, 'Keep it dry until Friday.')))).status).toBe(201);
    await done;
    expect(said).toHaveLength(2);
    expect(said[1]).toMatch(/^Stop\. I take back what I said: /);
    expect(said[1]).toContain(said[0]);
    expect(said[1]).toContain('Keep it dry until Friday.');
  });
});

interface SystemGuide {
  publish(server: string, secret: string, version: object, ifMatch?: string): Promise<Response>;
}
