import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { samplePost } from '../../testing/temporary-parts.ts';

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url));
const base = mkdtempSync(join(tmpdir(), 'press-cli-'));
const data = join(base, 'data');

afterAll(() => rmSync(base, { recursive: true, force: true }));

function start(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { PATH: process.env.PATH ?? '', PRESS_DATA: data, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, out, err }));
  return { child, ended };
}

const press = (...args: string[]) => start(args).ended;

async function json(...args: string[]) {
  const { out, err } = await press(...args, '--json');
  expect(err).toBe('');
  return JSON.parse(out);
}

describe('the command line', () => {
  it('serves, seeds, lets an operator in, and lets an admin publish while it runs', async () => {
    const { child, ended } = start(['serve', '--port', '0', '--json']);
    const lines = createInterface({ input: child.stdout });
    const [line] = (await once(lines, 'line')) as [string];
    const { url } = JSON.parse(line);
    expect((await fetch(`${url}/posts/the-bell-buoy`)).status).toBe(200);
    const token = (await press('token', 'add', 'writer')).out.trim();
    expect(token).toMatch(/^press_[\w-]{43}$/);
    const operate = async (request: object) => {
      const response = await fetch(`${url}/api/operator`, {
        method: 'POST',
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
        body: JSON.stringify(request),
      });
      return (await response.json()) as Record<string, string>;
    };
    const saved = await operate({
      operation: 'save',
      slug: 'fog',
      markdown: samplePost('draft'),
      baseRevision: null,
      idempotencyKey: 'cli-key-1',
    });
    const published = await press('publish', 'fog', '--revision', saved.revision ?? '');
    expect(published).toMatchObject({ code: 0, err: '' });
    expect((await fetch(`${url}/posts/fog`)).status).toBe(200);
    expect(await json('status')).toMatchObject({ inSync: true, posts: { published: 4 } });
    const rows = (await press('audit', '--json')).out
      .trim()
      .split('\n')
      .map((row) => JSON.parse(row));
    expect(rows).toMatchObject([
      { label: 'writer', operation: 'save', outcome: 'done' },
      { role: 'admin', label: 'command-line', operation: 'publish', outcome: 'done' },
    ]);
    expect((await press('token', 'revoke', 'writer')).code).toBe(0);
    expect(await operate({ operation: 'list' })).toMatchObject({ code: 'refused-credential' });
    expect(await json('token', 'list')).toMatchObject({
      tokens: [{ label: 'writer', revokedAt: expect.any(String) }],
    });
    expect((await press('token', 'list')).out).not.toContain(token.slice(6));
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
    expect([statSync(data).mode & 0o777, statSync(join(data, 'press.db')).mode & 0o777]).toEqual([
      0o700, 0o600,
    ]);
  });

  it('seeds an empty repository once, and never one whose posts were deleted', async () => {
    const folder = join(base, 'seeded-not');
    const { child, ended } = start(['--port', '0', '--seed', 'none', '--data', folder, '--json']);
    await once(createInterface({ input: child.stdout }), 'line');
    child.kill('SIGTERM');
    expect((await ended).code).toBe(0);
    expect(await json('status', '--data', folder)).toMatchObject({ posts: { published: 0, drafts: 0 } });
  });

  it('makes one folder of it when several start at once on none', async () => {
    const folder = join(base, 'at-once');
    const ended = await Promise.all(
      Array.from({ length: 4 }, () => press('token', 'list', '--json', '--data', folder)),
    );
    expect(ended.map(({ code, err }) => [code, err])).toEqual(ended.map(() => [0, '']));
    expect(await json('status', '--data', folder)).toMatchObject({ inSync: true });
  });

  it('checks a file, and says each place', async () => {
    const file = join(base, 'post.md');
    writeFileSync(file, samplePost('draft', 'a \u2014 b'));
    expect(await press('check', file)).toMatchObject({
      code: 1,
      out: expect.stringContaining(`${file}:6:3 wide-dash: `),
    });
    writeFileSync(file, samplePost('draft'));
    expect(await press('check', file)).toMatchObject({ code: 0 });
    expect(await press('check', join(base, 'none.md'))).toMatchObject({ code: 2 });
  });

  it('brings the copies to what was pushed past it, on demand', async () => {
    expect(await press('sync')).toMatchObject({ code: 0, err: '' });
    expect(await press('status')).toMatchObject({
      code: 0,
      out: 'Repository, database and search index agree.\n',
    });
  });

  it.each([
    ['help', 0],
    ['--help', 0],
    ['token --help', 0],
    ['nonsense', 2],
    ['publish', 2],
    ['publish fog', 2],
    ['publish ../fog --revision x', 2],
    ['publish fog --revision x y', 2],
    ['token', 2],
    ['token lend x', 2],
    ['--port x', 1],
    ['--port 70000', 1],
    ['--public-url ftp://x', 1],
    ['--seed some', 1],
    ['--github-repository owner/name', 1],
    ['--github-token x --github-repository owner', 1],
    ['--github-token x --github-repository owner/name --github-api http://api.example.org', 1],
    ['--nonsense', 2],
    ['publish never-was --revision x', 1],
    ['token add Bad', 1],
    ['token revoke nobody', 1],
  ])('%s exits %i with a sentence and no trace', async (line, code) => {
    const ended = await press(...line.split(' '));
    expect(ended.code).toBe(code);
    expect(code === 0 ? ended.out : ended.err).toMatch(/[.:\])]\n$/);
    expect(code === 0 ? ended.err : ended.out).toBe('');
    expect(ended.out + ended.err).not.toMatch(/^\s+at /m);
    if (code !== 0) expect(ended.err.trim().split('\n')).toHaveLength(1);
  });

  it('says in a sentence that a port is taken, that a folder cannot be used, and that there is no git', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    expect(await press('--port', String(port))).toEqual({
      code: 1,
      out: '',
      err: `Port ${port} is in use. Choose another with --port.\n`,
    });
    taken.close();
    const file = join(base, 'a-file');
    writeFileSync(file, '');
    const mistyped = join(base, 'mistyped');
    expect((await press('status', '--data', mistyped)).err).toMatch(/^There is no Press in .*\n$/);
    expect(existsSync(mistyped)).toBe(false);
    expect((await press('token', 'list', '--data', file)).err).toMatch(
      /^The folder .* cannot be used\. .*\n$/,
    );
    const without = await start(['token', 'list', '--data', join(base, 'gitless')], { PATH: '/nowhere' })
      .ended;
    expect(without).toMatchObject({
      code: 1,
      err: 'git could not be started. Install git, or put it on the PATH.\n',
    });
  });
});
