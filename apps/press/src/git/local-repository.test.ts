import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commitTo, draftOn, FIRST, repositoryContract } from '../../testing/repository-contract.ts';
import { openLocalRepository } from './local-repository.ts';

const base = mkdtempSync(join(tmpdir(), 'press-git-'));
let number = 0;

afterAll(() => rmSync(base, { recursive: true, force: true }));

const freshPath = () => join(base, `posts-${number++}.git`);
const git = (path: string, ...args: string[]) =>
  execFileSync('git', ['--git-dir', path, ...args], { encoding: 'utf8' }).trim();

repositoryContract(() => openLocalRepository(freshPath(), FIRST));

describe('a local repository', () => {
  it('is one of git’s own: whole, with parents, and names whoever acted', async () => {
    const path = freshPath();
    const repository = await openLocalRepository(path, FIRST);
    const first = await repository.head();
    await commitTo(repository, [['posts/a.md', 'A\n']]);
    expect(git(path, 'log', '--format=%P|%an|%cn|%s|%at', '-1')).toBe(
      `${first}|writer|Press|Save|1764547200`,
    );
    expect(git(path, 'fsck', '--strict')).toBe('');
  });

  it('cannot be made to carry another command', async () => {
    const path = freshPath();
    const repository = await openLocalRepository(path, FIRST);
    const sly = 'A\n\ndone\nreset refs/heads/main\n';
    await commitTo(repository, [['posts/a.md', sly]], 'Save\n\nreset refs/heads/other\nfrom 0\n');
    expect(git(path, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    const draft = draftOn(await repository.head(), []);
    await expect(repository.commit({ ...draft, author: 'a\nb' })).rejects.toThrow('character');
    for (const bad of ['a b', 'a\nD x', '../a', 'posts/../a', '.git/a', '/a', 'a/', '"a"'])
      await expect(repository.commit(draftOn(draft.parent, [[bad, '']]))).rejects.toThrow('path');
  });

  it('says what to do about a lock that a killed git left', async () => {
    const path = freshPath();
    const repository = await openLocalRepository(path, FIRST);
    writeFileSync(join(path, 'refs/heads/main.lock'), '');
    await expect(commitTo(repository, [['posts/a.md', 'A']])).rejects.toThrow('remove the lock file');
  });

  it('is opened as it is, and begun where it is empty', async () => {
    const path = freshPath();
    const commit = await commitTo(await openLocalRepository(path, FIRST), [['posts/a.md', 'A']]);
    expect(await (await openLocalRepository(path, FIRST)).head()).toBe(commit);
    const empty = freshPath();
    git(empty, 'init', '--quiet', '--bare');
    expect((await (await openLocalRepository(empty, FIRST)).tree(git(empty, 'rev-parse', 'main'))).size).toBe(
      1,
    );
  });

  it('of two that are made at once is one, and leaves nothing beside it', async () => {
    const path = freshPath();
    const both = await Promise.all([0, 1, 2].map(() => openLocalRepository(path, FIRST)));
    expect(new Set(await Promise.all(both.map((each) => each.head()))).size).toBe(1);
    expect(readdirSync(base).filter((name) => name.includes('-new-'))).toEqual([]);
  });

  it('takes nothing from whoever runs it: no setting, no hook', async () => {
    const path = freshPath();
    const repository = await openLocalRepository(path, FIRST);
    execFileSync('mkdir', ['-p', join(path, 'hooks')]);
    const hook = join(path, 'hooks/reference-transaction');
    writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    await commitTo(repository, [['posts/a.md', 'A']]);
    expect(git(path, 'rev-list', '--count', 'main')).toBe('2');
  });
});
