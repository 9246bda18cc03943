import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { openLocalRepository } from './local-repository.ts';
import type { Repository } from './repository.ts';

const folders: string[] = [];
let path = '';
let repository: Repository;

const FIRST = { files: new Map([['press.json', '{}']]), message: 'Begin\n', at: 0 };

beforeEach(async () => {
  path = join(mkdtempSync(join(tmpdir(), 'press-git-')), 'posts.git');
  folders.push(join(path, '..'));
  repository = await openLocalRepository(path, FIRST);
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const git = (...args: string[]) => execFileSync('git', ['--git-dir', path, ...args], { encoding: 'utf8' });
const draft = (parent: string, files: [string, string | null][], message = 'Save\n') => {
  return { parent, files: new Map(files), message, author: 'writer', at: 1_764_547_200_000 };
};

async function committed(files: [string, string | null][], message?: string): Promise<string> {
  const outcome = await repository.commit(draft(await repository.head(), files, message));
  if (outcome.kind !== 'committed') throw new Error('the commit was refused');
  return outcome.commit;
}

describe('a commit', () => {
  it('has all its files, its author and its message, and follows its parent', async () => {
    const first = await repository.head();
    const commit = await committed([
      ['posts/a.md', 'A\n'],
      ['built/a.html', '<p>A</p>\n'],
    ]);
    expect(await repository.head()).toBe(commit);
    expect(git('log', '--format=%P|%an|%cn|%s|%at', '-1').trim()).toBe(
      `${first}|writer|Press|Save|1764547200`,
    );
    expect([...(await repository.tree(commit)).keys()].sort()).toEqual([
      'built/a.html',
      'posts/a.md',
      'press.json',
    ]);
    git('fsck', '--strict');
  });

  it('on a parent that is no longer the newest is stale, and leaves the branch alone', async () => {
    const old = await repository.head();
    const newest = await committed([['posts/a.md', 'A']]);
    expect(await repository.commit(draft(old, [['posts/a.md', 'B']]))).toEqual({ kind: 'stale' });
    expect(await repository.head()).toBe(newest);
  });

  it('wins alone among many at once', async () => {
    const head = await repository.head();
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, i) => repository.commit(draft(head, [['posts/a.md', `${i}`]]))),
    );
    expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
    expect(git('rev-list', '--count', 'main').trim()).toBe('2');
  });

  it('takes files away', async () => {
    await committed([['posts/a.md', 'A']]);
    const commit = await committed([['posts/a.md', null]]);
    expect((await repository.tree(commit)).has('posts/a.md')).toBe(false);
    expect(await repository.blobAt(commit, 'posts/a.md')).toBeNull();
  });

  it('cannot be made to carry another command', async () => {
    const head = await repository.head();
    const files = new Map([['posts/a.md', 'A\n\ndone\nreset refs/heads/main\n']]);
    const sly = 'Save\n\nreset refs/heads/other\nfrom 0\n';
    expect((await repository.commit({ ...draft(head, []), files, message: sly })).kind).toBe('committed');
    expect(git('branch', '--format=%(refname)').trim()).toBe('refs/heads/main');
    await expect(repository.commit({ ...draft(head, []), author: 'a\nb' })).rejects.toThrow('character');
    const path = new Map([['posts/../x', 'A\n']]);
    await expect(
      repository.commit({ ...draft(head, []), files: new Map([['a b\nD x', '']]) }),
    ).rejects.toThrow('character');
    expect(path.size).toBe(1);
  });

  it('says what to do about a lock that a killed git left', async () => {
    writeFileSync(join(path, 'refs/heads/main.lock'), '');
    await expect(repository.commit(draft(await repository.head(), [['posts/a.md', 'A']]))).rejects.toThrow(
      'remove the lock file',
    );
  });
});

describe('reading', () => {
  it('gives back any text that can be UTF-8, byte for byte', async () => {
    const text = fc.string({
      unit: fc.constantFrom('a', '\n', '\r', '\0', '\u00e9', '\u{1F30A}', ' ', '\t'),
    });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 4 }), async (texts) => {
        const commit = await committed(texts.map((each, i) => [`posts/p${i}.md`, each]));
        const tree = await repository.tree(commit);
        const read = await repository.read([...tree.values()]);
        expect(texts.map((_, i) => read.get(tree.get(`posts/p${i}.md`) ?? ''))).toEqual(texts);
      }),
      { numRuns: 8 },
    );
  });

  it('leaves out ids that are not there, and asks nothing that is no id', async () => {
    expect(await repository.read(['f'.repeat(40), 'HEAD:press.json', '--help\n'])).toEqual(new Map());
  });

  it('tells the history of a file, and what lies between two commits', async () => {
    const first = await committed([['posts/a.md', '1']], 'One\n\nPress-Action: save\n');
    await committed([['posts/b.md', '1']], 'Two\n');
    const third = await committed([['posts/a.md', '2']], 'Three\n');
    const log = await repository.log({ until: third, path: 'posts/a.md', limit: 9 });
    expect(log.map(({ message }) => message.split('\n')[0])).toEqual(['Three', 'One']);
    expect(log[1]).toMatchObject({ commit: first, author: 'writer', at: 1_764_547_200_000 });
    expect(log[1]?.message).toContain('Press-Action: save');
    expect(await repository.log({ until: third, since: first, limit: 9 })).toHaveLength(2);
    expect(await repository.log({ until: third, limit: 1 })).toHaveLength(1);
  });

  it('opens what is there, and keeps it', async () => {
    const commit = await committed([['posts/a.md', 'A']]);
    const again = await openLocalRepository(path, FIRST);
    expect(await again.head()).toBe(commit);
  });
});
