import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { freePort } from '../harness/free-port.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { Person } from '../harness/sign-in.ts';

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist/index.js',
);

const data = temporaryFolder();
const results = temporaryFolder();
let server: RunningServer;
let owner: Person;

beforeAll(async () => {
  server = await startServer(data);
  owner = new Person(server);
  await owner.enrol();
});

afterAll(async () => {
  await server?.kill();
  removeFolder(data);
  removeFolder(results);
});

async function register(redirectUri: string): Promise<string> {
  const response = await fetch(`${server.url}/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'none' }),
  });
  return ((await response.json()) as { client_id: string }).client_id;
}

/** Does what the suite asks a person to do: opens the address that it prints, signs in, allows, goes where that leads. */
async function letIn(address: string): Promise<void> {
  const asked = await owner.signIn(await owner.sentBy(new URL(address)));
  const back = await owner.allow(asked.pathname, ['ray']);
  await fetch(back);
}

it('passes every scenario that the official suite has for an authorization server', async () => {
  const port = await freePort();
  const clientId = await register(`http://127.0.0.1:${port}/callback`);
  const args = ['--url', server.url, '--client-id', clientId, '--resource', `${server.url}/mcp`];
  const child = spawn(process.execPath, [SUITE, 'authorization', ...args, '-p', `${port}`, '-o', results], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let letting: Promise<void> | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      const address = /(http\S+\/authorize\?\S+)/.exec(said)?.[1];
      if (address !== undefined) letting ??= letIn(address);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  await letting;
  expect(code, said).toBe(0);
  expect(said).toContain('authorization-server-metadata-endpoint');
  expect(said).toContain('authorization-code-grant');
  expect(said).not.toMatch(/FAILURE|WARNING|SKIPPED/);
}, 60_000);
