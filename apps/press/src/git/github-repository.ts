import { type CommitRecord, type LogRange, type Repository, RepositoryError } from './repository.ts';

/** Where the posts are on GitHub, and by what right they are changed. */
export interface GitHubOptions {
  /** `owner/name`. */
  readonly repository: string;
  /** A token that may read and write contents of that repository. */
  readonly token: string;
  /** The address of the API, with no slash at the end. */
  readonly api: string;
  readonly fetch: typeof fetch;
}

const BRANCH = 'heads/main';
const OBJECT_ID = /^[0-9a-f]{40}$/;
const PATIENCE_MS = 20_000;
const PAGE_SIZE = 100;
const AT_ONCE = 8;

interface ApiCommit {
  readonly sha: string;
  readonly commit: {
    readonly message: string;
    readonly author: { readonly name: string; readonly date: string };
  };
}

/**
 * A repository behind GitHub's Git Data API. A commit is made first and is nobody's; then the branch is moved to it,
 * which GitHub does only as a fast forward, so of two on one parent the second is stale.
 */
export function gitHubRepository(options: GitHubOptions): Repository {
  const ask = createAsk(options);
  const read = async <Body>(path: string): Promise<Body> =>
    (await orThrow(await ask('GET', path))).json() as Promise<Body>;

  const tree = async (commit: string): Promise<ReadonlyMap<string, string>> => {
    const found = await read<{
      truncated: boolean;
      tree: readonly { path: string; mode: string; sha: string }[];
    }>(`git/trees/${commit}?recursive=1`);
    if (found.truncated)
      throw new RepositoryError('The repository has more files than GitHub lists at once.');
    const files = found.tree.filter(({ mode }) => mode.startsWith('100'));
    return new Map(files.map(({ path, sha }) => [path, sha]));
  };

  const page = (range: LogRange, number: number): Promise<readonly ApiCommit[]> => {
    const query = new URLSearchParams({
      sha: range.until,
      per_page: String(Math.min(range.limit, PAGE_SIZE)),
      page: String(number),
      ...(range.path === undefined ? {} : { path: range.path }),
    });
    return read(`commits?${query}`);
  };

  return {
    async head() {
      const answer = await ask('GET', `git/ref/${BRANCH}`);
      if (answer.status === 404 || answer.status === 409)
        throw new RepositoryError(
          'The repository on GitHub has no branch main, or the token may not see it. Make one with a first file in it.',
        );
      return ((await (await orThrow(answer)).json()) as { object: { sha: string } }).object.sha;
    },

    tree,

    async read(blobs) {
      const wanted = [...new Set(blobs.filter((blob) => OBJECT_ID.test(blob)))];
      const texts = new Map<string, string>();
      const next = wanted.values();
      const work = async (): Promise<void> => {
        for (const blob of next) {
          const answer = await ask('GET', `git/blobs/${blob}`);
          if (answer.status === 404) continue;
          const { content } = (await (await orThrow(answer)).json()) as { content: string };
          texts.set(blob, Buffer.from(content, 'base64').toString('utf8'));
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, work));
      return texts;
    },

    async commit({ parent, files, message, author, at }) {
      const base = await tree(parent);
      const changes = [...files]
        // GitHub refuses to take away what is not there.
        .filter(([path, content]) => content !== null || base.has(path))
        .map(([path, content]) => {
          return { path, mode: '100644', type: 'blob', ...(content === null ? { sha: null } : { content }) };
        });
      const { tree: root } = await read<{ tree: { sha: string } }>(`git/commits/${parent}`);
      const made = await send<{ sha: string }>('git/trees', { base_tree: root.sha, tree: changes });
      const email = 'press@localhost.invalid';
      const date = new Date(at).toISOString();
      const commit = await send<{ sha: string }>('git/commits', {
        message,
        tree: made.sha,
        parents: [parent],
        author: { name: author, email, date },
        committer: { name: 'Press', email, date },
      });
      const moved = await ask('PATCH', `git/refs/${BRANCH}`, { sha: commit.sha, force: false });
      if (moved.status === 422 && /fast.forward/i.test(await moved.clone().text())) return { kind: 'stale' };
      await orThrow(moved);
      return { kind: 'committed', commit: commit.sha };
    },

    async log(range) {
      const since = range.since === undefined ? null : await commitsSince(range.since, range.until);
      if (since !== null) return since.slice(0, range.limit).map(recordOf);
      const found: ApiCommit[] = [];
      for (let number = 1; found.length < range.limit; number += 1) {
        const commits = await page(range, number);
        found.push(...commits);
        if (commits.length < Math.min(range.limit, PAGE_SIZE)) break;
      }
      return found.slice(0, range.limit).map(recordOf);
    },

    async blobAt(commit, path) {
      const answer = await ask('GET', `contents/${path}?ref=${commit}`);
      if (answer.status === 404) return null;
      return ((await (await orThrow(answer)).json()) as { sha: string }).sha;
    },
  };

  async function send<Body>(path: string, body: unknown): Promise<Body> {
    return (await orThrow(await ask('POST', path, body))).json() as Promise<Body>;
  }

  /** Newest first; the comparison gives the oldest first. */
  async function commitsSince(since: string, until: string): Promise<readonly ApiCommit[]> {
    const found: ApiCommit[] = [];
    for (let number = 1; ; number += 1) {
      const { commits } = await read<{ commits: readonly ApiCommit[] }>(
        `compare/${since}...${until}?per_page=${PAGE_SIZE}&page=${number}`,
      );
      found.push(...commits);
      if (commits.length < PAGE_SIZE) return found.reverse();
    }
  }
}

function recordOf({ sha, commit: { message, author } }: ApiCommit): CommitRecord {
  return { commit: sha, author: author.name, at: Date.parse(author.date), message: message.trimEnd() };
}

type Ask = (method: string, path: string, body?: unknown) => Promise<Response>;

function createAsk({ repository, token, api, fetch: send }: GitHubOptions): Ask {
  return async (method, path, body) => {
    try {
      return await send(`${api}/repos/${repository}/${path}`, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/vnd.github+json',
          'x-github-api-version': '2022-11-28',
          'user-agent': 'press',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        // The token goes to the API and nowhere that it points to.
        redirect: 'manual',
        signal: AbortSignal.timeout(PATIENCE_MS),
      });
    } catch (cause) {
      throw new RepositoryError('GitHub did not answer. Try again in a moment.', { cause });
    }
  };
}

async function orThrow(answer: Response): Promise<Response> {
  if (answer.ok) return answer;
  if (answer.status === 401 || answer.status === 403)
    throw new RepositoryError(
      `GitHub refuses the token, or has had enough of it for now (${answer.status}). Check that it may read and write the contents of the repository.`,
    );
  throw new RepositoryError(`GitHub answered with ${answer.status}.`);
}
