import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { BRANCH, fastImportStream } from './fast-import.ts';
import { type CommitRecord, type Repository, RepositoryError } from './repository.ts';
import { askGit, runGit } from './run-git.ts';

const LOCK_PATIENCE_MS = 3_000;
const OBJECT_ID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/;

/** The first commit of a repository that has none. */
export interface FirstCommit {
  readonly files: ReadonlyMap<string, string>;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** A bare repository in a folder, made with one first commit when it is missing. */
export async function openLocalRepository(path: string, first: FirstCommit): Promise<Repository> {
  if (!existsSync(path)) await makeRepository(path, first);
  await begin(path, first);
  const repository = localRepository(path);
  await repository.head();
  return repository;
}

/** Makes a repository aside and gives it its name at last: whoever finds it finds it whole, and of two, one stays. */
async function makeRepository(path: string, first: FirstCommit): Promise<void> {
  const aside = mkdtempSync(`${path}-new-`);
  try {
    await askGit(aside, ['init', '--quiet', '--bare', '--template=', '--initial-branch=main']);
    await begin(aside, first);
    renameSync(aside, path);
  } catch (error) {
    if (!existsSync(path)) throw error;
  } finally {
    rmSync(aside, { recursive: true, force: true });
  }
}

async function begin(path: string, first: FirstCommit): Promise<void> {
  const { code } = await runGit(path, ['rev-parse', '--verify', '--quiet', BRANCH]);
  // Of two that start at once, one makes the first commit; the other finds it there.
  if (code !== 0) await importCommit(path, fastImportStream({ ...first, parent: null, author: 'press' }));
}

function localRepository(path: string): Repository {
  const text = async (...args: readonly string[]) => (await askGit(path, args)).toString('utf8');
  return {
    head: async () => (await text('rev-parse', '--verify', BRANCH)).trim(),

    async tree(commit) {
      const listing = await text('ls-tree', '-r', '-z', '--full-tree', commit);
      const files = listing.split('\0').flatMap((line): [string, string][] => {
        const [, blob, file] = /^100\d{3} blob ([0-9a-f]+)\t(.+)$/s.exec(line) ?? [];
        return blob === undefined || file === undefined ? [] : [[file, blob]];
      });
      return new Map(files);
    },

    async read(blobs) {
      if (blobs.length === 0) return new Map();
      const ids = blobs.filter((blob) => OBJECT_ID.test(blob));
      return contents(await askGit(path, ['cat-file', '--batch'], Buffer.from(`${ids.join('\n')}\n`)));
    },

    async commit(draft) {
      const outcome = await importCommit(path, fastImportStream(draft));
      if (outcome === 'stale') return { kind: 'stale' };
      return { kind: 'committed', commit: outcome };
    },

    async log({ until, since, path: file, limit }) {
      const range = [until, ...(since === undefined ? [] : [`^${since}`])];
      const only = file === undefined ? [] : ['--', file];
      const format = '--format=%H%x00%an%x00%at%x00%B%x00';
      const printed = await text('log', `--max-count=${limit}`, format, ...range, ...only);
      return records(printed.split('\0'));
    },

    async blobAt(commit, file) {
      const { code, stdout } = await runGit(path, ['rev-parse', '--verify', '--quiet', `${commit}:${file}`]);
      return code === 0 ? stdout.toString('utf8').trim() : null;
    },
  };
}

/** The commit that an import made, or that another one came first. */
async function importCommit(path: string, stream: Buffer): Promise<string | 'stale'> {
  // A tenth of a second is what git waits for a lock by itself, which on a busy machine is no sign of a dead process.
  const patience = ['-c', `core.filesRefLockTimeout=${LOCK_PATIENCE_MS}`];
  const args = [...patience, 'fast-import', '--quiet', '--done', '--date-format=raw'];
  const { code, stdout, stderr } = await runGit(path, args, stream);
  if (code === 0) return stdout.toString('utf8').trim();
  // The first: our parent is no longer the newest. The second: it was when we looked, and not when we wrote.
  if (
    /new tip [0-9a-f]+ does not contain|cannot lock ref .*(but expected|reference already exists)/.test(
      stderr,
    )
  )
    return 'stale';
  if (/Unable to create .*\.lock/.test(stderr))
    throw new RepositoryError(
      'The repository is locked by another git process, or by one that was killed. When none runs, remove the lock file that lies in its refs folder.',
    );
  throw new RepositoryError(`git fast-import failed: ${stderr.trim().split('\n').at(-1) ?? ''}`);
}

function contents(batch: Buffer): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (let at = 0; at < batch.length; ) {
    const end = batch.indexOf('\n', at);
    const [blob = '', kind, size] = batch.toString('utf8', at, end).split(' ');
    at = end + 1;
    if (kind !== 'blob') continue;
    found.set(blob, batch.toString('utf8', at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}

function records(fields: readonly string[]): readonly CommitRecord[] {
  const found: CommitRecord[] = [];
  for (let i = 0; i + 3 < fields.length; i += 4) {
    const [commit = '', author = '', at, message = ''] = fields.slice(i, i + 4);
    found.push({ commit: commit.trim(), author, at: Number(at) * 1000, message: message.trimEnd() });
  }
  return found;
}
