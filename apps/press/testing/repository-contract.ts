import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Repository } from '../src/git/repository.ts';

/** The file and the message that a repository of this suite begins with. */
export const FIRST = { files: new Map([['press.json', '{}']]), message: 'Begin\n', at: 0 };

/** A draft of a commit by `writer`, at one time. */
export function draftOn(parent: string, files: readonly [string, string | null][], message = 'Save\n') {
  return { parent, files: new Map(files), message, author: 'writer', at: 1_764_547_200_000 };
}

/** Commits upon the newest commit, and gives the new one. */
export async function commitTo(
  repository: Repository,
  files: readonly [string, string | null][],
  message?: string,
): Promise<string> {
  const outcome = await repository.commit(draftOn(await repository.head(), files, message));
  if (outcome.kind !== 'committed') throw new Error('the commit was refused');
  return outcome.commit;
}

/** What every repository must do, whatever it stands on. `make` gives one that holds `FIRST` and nothing else. */
export function repositoryContract(make: () => Promise<Repository>): void {
  let repository: Repository;
  beforeEach(async () => {
    repository = await make();
  });

  describe('a commit', () => {
    it('has all its files, its author and its message', async () => {
      const commit = await commitTo(repository, [
        ['posts/a.md', 'A\n'],
        ['built/a.html', '<p>A</p>\n'],
      ]);
      expect(await repository.head()).toBe(commit);
      expect(await repository.log({ until: commit, limit: 1 })).toMatchObject([
        { commit, author: 'writer', at: 1_764_547_200_000, message: 'Save' },
      ]);
      const tree = await repository.tree(commit);
      expect([...tree.keys()].sort()).toEqual(['built/a.html', 'posts/a.md', 'press.json']);
      expect(await repository.blobAt(commit, 'posts/a.md')).toBe(tree.get('posts/a.md'));
    });

    it('names the same content by the same id, wherever it is', async () => {
      const commit = await commitTo(repository, [
        ['posts/a.md', 'A\n'],
        ['posts/b.md', 'A\n'],
      ]);
      const tree = await repository.tree(commit);
      expect(tree.get('posts/a.md')).toBe('f70f10e4db19068f79bc43844b49f3eece45c4e8');
      expect(tree.get('posts/b.md')).toBe(tree.get('posts/a.md'));
    });

    it('on a parent that is no longer the newest is stale, and leaves the branch alone', async () => {
      const old = await repository.head();
      const newest = await commitTo(repository, [['posts/a.md', 'A']]);
      expect(await repository.commit(draftOn(old, [['posts/a.md', 'B']]))).toEqual({ kind: 'stale' });
      expect(await repository.head()).toBe(newest);
    });

    it('wins alone among many at once', async () => {
      const head = await repository.head();
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) => repository.commit(draftOn(head, [['posts/a.md', `${i}`]]))),
      );
      expect(outcomes.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
      expect(await repository.log({ until: await repository.head(), limit: 9 })).toHaveLength(2);
    });

    it('takes files away', async () => {
      await commitTo(repository, [['posts/a.md', 'A']]);
      const commit = await commitTo(repository, [['posts/a.md', null]]);
      expect((await repository.tree(commit)).has('posts/a.md')).toBe(false);
      expect(await repository.blobAt(commit, 'posts/a.md')).toBeNull();
    });
  });

  describe('reading', () => {
    it('gives back any text that can be UTF-8, byte for byte', async () => {
      const unit = fc.constantFrom('a', '\n', '\r', '\0', '\u00e9', '\u{1F30A}', ' ', '\t');
      const texts = fc.uniqueArray(fc.string({ unit }), { minLength: 1, maxLength: 4 });
      await fc.assert(
        fc.asyncProperty(texts, async (written) => {
          const files = written.map((each, i): [string, string] => [`posts/p${i}.md`, each]);
          const tree = await repository.tree(await commitTo(repository, files));
          const read = await repository.read([...tree.values()]);
          expect(files.map(([path]) => read.get(tree.get(path) ?? ''))).toEqual(written);
        }),
        { numRuns: 8 },
      );
    });

    it('leaves out ids that are not there, and asks nothing that is no id', async () => {
      expect(await repository.read(['f'.repeat(40), 'HEAD:press.json', '--help\n'])).toEqual(new Map());
    });

    it('tells the history of a file, and what lies between two commits', async () => {
      const first = await commitTo(repository, [['posts/a.md', '1']], 'One\n\nPress-Action: save\n');
      await commitTo(repository, [['posts/b.md', '1']], 'Two\n');
      const third = await commitTo(repository, [['posts/a.md', '2']], 'Three\n');
      const log = await repository.log({ until: third, path: 'posts/a.md', limit: 9 });
      expect(log.map(({ message }) => message)).toEqual(['Three', 'One\n\nPress-Action: save']);
      const between = await repository.log({ until: third, since: first, limit: 9 });
      expect(between.map(({ message }) => message)).toEqual(['Three', 'Two']);
      expect(await repository.log({ until: third, limit: 1 })).toHaveLength(1);
    });
  });
}
