import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { gitDataStandIn } from '../../testing/git-data-stand-in.ts';
import { commitTo, draftOn, FIRST, repositoryContract } from '../../testing/repository-contract.ts';
import { startPress } from '../../testing/start-press.ts';
import { samplePost } from '../../testing/temporary-parts.ts';
import { publishPost } from '../posts/change-post.ts';
import { gitHubRepository } from './github-repository.ts';
import { openLocalRepository } from './local-repository.ts';

const base = mkdtempSync(join(tmpdir(), 'press-github-'));
let number = 0;
afterAll(() => rmSync(base, { recursive: true, force: true }));

const OPTIONS = { repository: 'owner/name', token: 'a-token', api: 'https://api.example.test' };

async function standIn() {
  const path = join(base, `posts-${number++}.git`);
  await openLocalRepository(path, FIRST);
  return gitDataStandIn(path, OPTIONS);
}

repositoryContract(async () => gitHubRepository({ ...OPTIONS, fetch: (await standIn()).fetch }));

describe('a repository on GitHub', () => {
  it('gets whole commits, by whoever acted', async () => {
    const github = await standIn();
    const repository = gitHubRepository({ ...OPTIONS, fetch: github.fetch });
    await commitTo(repository, [
      ['posts/a.md', 'A\n'],
      ['built/none.json', null],
    ]);
    expect(github.git('log', '-1', '--format=%an|%cn|%s|%at', 'main')).toBe('writer|Press|Save|1764547200');
    expect(github.git('fsck', '--strict')).toBe('');
  });

  it('that moves between the look and the commit answers stale, and its branch stays', async () => {
    const github = await standIn();
    const repository = gitHubRepository({ ...OPTIONS, fetch: github.fetch });
    const parent = await repository.head();
    const overtaken = gitHubRepository({
      ...OPTIONS,
      fetch: async (input, init) => {
        if (init?.method === 'PATCH') await commitTo(repository, [['posts/a.md', 'first']]);
        return github.fetch(input, init);
      },
    });
    expect(await overtaken.commit(draftOn(parent, [['posts/a.md', 'second']]))).toEqual({ kind: 'stale' });
    expect(github.git('show', 'main:posts/a.md')).toBe('first');
  });

  it('says in words what is wrong with it', async () => {
    const github = await standIn();
    const refused = gitHubRepository({ ...OPTIONS, token: 'another', fetch: github.fetch });
    await expect(refused.head()).rejects.toThrow('refuses the token');
    const silent = gitHubRepository({
      ...OPTIONS,
      fetch: () => Promise.reject(new TypeError('fetch failed')),
    });
    await expect(silent.head()).rejects.toThrow('did not answer');
    const empty = join(base, 'empty.git');
    execFileSync('git', ['init', '--quiet', '--bare', empty]);
    const nothing = gitHubRepository({ ...OPTIONS, fetch: gitDataStandIn(empty, OPTIONS).fetch });
    await expect(nothing.head()).rejects.toThrow('no branch main');
    const broken = gitHubRepository({ ...OPTIONS, fetch: async () => new Response('', { status: 502 }) });
    await expect(broken.head()).rejects.toThrow('502');
    const elsewhere = gitHubRepository({
      ...OPTIONS,
      fetch: async () => new Response(null, { status: 301 }),
    });
    await expect(elsewhere.tree('f'.repeat(40))).rejects.toThrow('301');
  });
});

describe('Press with its posts on GitHub', () => {
  it('saves, publishes, refuses and shows as with a folder, and begins anew from the repository alone', async () => {
    const path = join(base, `posts-${number++}.git`);
    await openLocalRepository(path, { ...FIRST, files: new Map([['README.md', 'Posts.\n']]) });
    const github = gitDataStandIn(path, OPTIONS);
    const gitHub = { ...OPTIONS, fetch: github.fetch };
    const press = await startPress({ gitHub });
    const token = await press.operatorToken('writer');
    const save = (markdown: string, baseRevision: unknown, idempotencyKey: string) =>
      press.operate(token, { operation: 'save', slug: 'fog', markdown, baseRevision, idempotencyKey });
    const draft = await save(samplePost('draft'), null, 'first-key');
    expect(draft.status).toBe(200);
    expect((await save(samplePost('published'), draft.body.revision, 'second-key')).status).toBe(403);
    const revision = String(draft.body.revision);
    const published = await publishPost(press.parts, { label: 'boss', slug: 'fog', revision });
    expect(published.kind).toBe('done');
    expect((await save(samplePost('draft', 'Late.'), revision, 'third-key')).status).toBe(409);
    expect((await save(samplePost('draft'), null, 'first-key')).body).toMatchObject({ replayed: true });
    expect((await fetch(`${press.url}/posts/fog`)).status).toBe(200);
    expect((await press.operate(token, { operation: 'status' })).body).toMatchObject({ inSync: true });
    expect(press.faults).toEqual([]);
    await press.close();
    const again = await startPress({ gitHub });
    expect((await fetch(`${again.url}/posts/fog`)).status).toBe(200);
    await again.close();
    expect(
      github
        .git('log', '--format=%s', 'main')
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(['Publish', 'Save', 'Stamp', 'Begin']);
  });
});
