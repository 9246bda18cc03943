import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
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

/** The bodies of a document's code blocks in one language. */
function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, body]) => body ?? '',
  );
}

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
    const named = [...readme.matchAll(/npm (?:run (?:--silent )?)?([a-z0-9:]+)/g)].map(
      ([, name]) => name ?? '',
    );
    expect(new Set(named)).toEqual(new Set(Object.keys(scripts)));
  });
});

describe('the guide for systems', () => {
  it('has code that publishes', async () => {
    const [code = ''] = blocks(readFileSync(join(ROOT, 'docs/guides/write-from-a-system.md'), 'utf8'), 'ts');
    const source = stripTypeScriptTypes(code);
    const { publish } = (await import(`data:text/javascript,${encodeURIComponent(source)}`)) as Guide;
    const version = { uri: 'care://ray/from-a-system', value: 'Rest today.', authorId: 'ward-system' };
    const answer = await publish(server.url, WRITE_SECRET, version);
    expect(answer.status).toBe(201);
    const { versionHash } = (await answer.json()) as { versionHash: string };
    expect((await publish(server.url, WRITE_SECRET, version, `"${versionHash}"`)).status).toBe(201);
    const late = { ...version, value: 'Rest this week.' };
    expect((await publish(server.url, WRITE_SECRET, late, `"${versionHash}"`)).status).toBe(409);
  });
});

interface Guide {
  publish(server: string, secret: string, version: object, ifMatch?: string): Promise<Response>;
}
