import { execFileSync } from 'node:child_process';

/** A stand-in for GitHub's Git Data API over a bare repository, as far as Press uses it, and what it was asked. */
export interface GitDataStandIn {
  readonly fetch: typeof fetch;
  /** Method and path of every request. */
  readonly asked: readonly string[];
  /** The repository, for looking at it with git. */
  git(...args: readonly string[]): string;
}

interface TreeEntry {
  readonly path: string;
  readonly sha?: string | null;
  readonly content?: string;
}

/** What one answer is: a status and a body. */
type Answer = readonly [status: number, body: unknown];

const NOT_FOUND: Answer = [404, { message: 'Not Found' }];

/** Serves the bare repository at `path` as `owner/name`, to whoever has the token. */
export function gitDataStandIn(path: string, { token }: { readonly token: string }): GitDataStandIn {
  const asked: string[] = [];
  const run = (args: readonly string[], input?: string, env: Readonly<Record<string, string>> = {}): string =>
    execFileSync('git', ['--git-dir', path, ...args], {
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
      maxBuffer: 64 * 1024 * 1024,
      ...(input === undefined ? {} : { input }),
    });
  const maybe = (answer: () => Answer): Answer => {
    try {
      return answer();
    } catch {
      return NOT_FOUND;
    }
  };
  const described = (sha: string) => {
    const [name = '', date = '', message = ''] = run(['log', '-1', '--format=%an%x00%aI%x00%B', sha]).split(
      '\0',
    );
    return { sha, commit: { message: message.trimEnd(), author: { name, date } } };
  };
  const listed = (args: readonly string[]) =>
    run(['rev-list', ...args])
      .split('\n')
      .filter(Boolean)
      .map(described);

  function makeTree({ base_tree: base, tree }: { base_tree: string; tree: readonly TreeEntry[] }): Answer {
    const files = new Map(
      run(['ls-tree', '-r', '-z', base])
        .split('\0')
        .filter(Boolean)
        .map((line) => {
          const [meta = '', file = ''] = line.split('\t');
          return [file, meta.split(' ')[2] ?? ''];
        }),
    );
    for (const { path: file, sha, content } of tree) {
      if (sha === null && !files.delete(file)) return [422, { message: 'GitRPC::BadObjectState' }];
      if (content !== undefined) files.set(file, run(['hash-object', '-w', '--stdin'], content).trim());
    }
    const index = { GIT_INDEX_FILE: `${path}/stand-in-index-${asked.length}` };
    const lines = [...files].map(([file, sha]) => `100644 ${sha}\t${file}\n`).join('');
    run(['update-index', '--add', '--index-info'], lines, index);
    return [201, { sha: run(['write-tree'], undefined, index).trim() }];
  }

  interface Person {
    readonly name: string;
    readonly email: string;
    readonly date: string;
  }

  function makeCommit(body: {
    message: string;
    tree: string;
    parents: readonly string[];
    author: Person;
    committer: Person;
  }): Answer {
    const env = Object.fromEntries(
      (['author', 'committer'] as const).flatMap((role) => [
        [`GIT_${role.toUpperCase()}_NAME`, body[role].name],
        [`GIT_${role.toUpperCase()}_EMAIL`, body[role].email],
        [`GIT_${role.toUpperCase()}_DATE`, body[role].date],
      ]),
    );
    const parents = body.parents.flatMap((parent) => ['-p', parent]);
    return [201, { sha: run(['commit-tree', body.tree, ...parents], body.message, env).trim() }];
  }

  function moveBranch({ sha, force }: { sha: string; force: boolean }): Answer {
    const now = run(['rev-parse', 'refs/heads/main']).trim();
    const isForward = run(['merge-base', now, sha]).trim() === now;
    if (!isForward && !force) return [422, { message: 'Update is not a fast forward' }];
    run(['update-ref', 'refs/heads/main', sha, now]);
    return [200, { object: { sha } }];
  }

  function answer(method: string, route: string, query: URLSearchParams, body: string): Answer {
    const [, kind = '', rest = ''] = /^(git\/[a-z]+|commits|compare|contents)\/?(.*)$/.exec(route) ?? [];
    switch (`${method} ${kind}`) {
      case 'GET git/ref':
        return maybe(() => [200, { object: { sha: run(['rev-parse', '--verify', `refs/${rest}`]).trim() } }]);
      case 'GET git/trees':
        return maybe(() => {
          const lines = run(['ls-tree', '-r', '-t', '-z', rest]).split('\0').filter(Boolean);
          const tree = lines.map((line) => {
            const [meta = '', file = ''] = line.split('\t');
            const [mode, type, sha] = meta.split(' ');
            return { path: file, mode, type, sha };
          });
          return [200, { tree, truncated: false }];
        });
      case 'GET git/blobs':
        return maybe(() => [
          200,
          { content: Buffer.from(run(['cat-file', 'blob', rest])).toString('base64') },
        ]);
      case 'GET git/commits':
        return maybe(() => [200, { tree: { sha: run(['rev-parse', `${rest}^{tree}`]).trim() } }]);
      case 'GET contents':
        return maybe(() => [
          200,
          { sha: run(['rev-parse', '--verify', `${query.get('ref')}:${rest}`]).trim() },
        ]);
      case 'GET commits': {
        const size = Number(query.get('per_page'));
        const skip = (Number(query.get('page')) - 1) * size;
        const only = query.has('path') ? ['--', query.get('path') ?? ''] : [];
        return maybe(() => [
          200,
          listed([`--max-count=${size}`, `--skip=${skip}`, query.get('sha') ?? '', ...only]),
        ]);
      }
      case 'GET compare': {
        const [from = '', to = ''] = rest.split('...');
        const size = Number(query.get('per_page'));
        const start = (Number(query.get('page')) - 1) * size;
        return maybe(() => [
          200,
          { commits: listed(['--reverse', to, `^${from}`]).slice(start, start + size) },
        ]);
      }
      case 'POST git/trees':
        return makeTree(JSON.parse(body));
      case 'POST git/commits':
        return makeCommit(JSON.parse(body));
      case 'PATCH git/refs':
        return moveBranch(JSON.parse(body));
      default:
        return NOT_FOUND;
    }
  }

  return {
    asked,
    git: (...args) => run(args).trim(),
    fetch: async (input, init) => {
      const request = new Request(input, init);
      const url = new URL(request.url);
      asked.push(`${request.method} ${url.pathname}`);
      const route = url.pathname.replace('/repos/owner/name/', '');
      const allowed = request.headers.get('authorization') === `Bearer ${token}`;
      const [status, body] = allowed
        ? answer(request.method, route, url.searchParams, await request.text())
        : [401, { message: 'Bad credentials' }];
      return Response.json(body, { status });
    },
  };
}
