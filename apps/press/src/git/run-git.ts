import { spawn } from 'node:child_process';
import { RepositoryError } from './repository.ts';

/** What a run of git ended with. */
export interface GitRun {
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: string;
}

// Nothing of the person's own settings and no hook may decide what Press does.
const SETTINGS = [
  'core.hooksPath=/dev/null',
  'core.fsync=committed,loose-object,reference',
  'core.quotePath=false',
  'gc.auto=0',
].flatMap((setting) => ['-c', setting]);

/** Runs git on a bare repository. Resolves with whatever it ended with; rejects only when there is no git. */
export function runGit(repository: string, args: readonly string[], input?: Buffer): Promise<GitRun> {
  return new Promise((resolve, reject) => {
    const child = spawn('git', [...SETTINGS, '--git-dir', repository, ...args], {
      env: {
        PATH: process.env.PATH ?? '',
        LC_ALL: 'C',
        GIT_CONFIG_NOSYSTEM: '1',
        GIT_CONFIG_GLOBAL: '/dev/null',
        GIT_TERMINAL_PROMPT: '0',
      },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const [out, err]: [Buffer[], Buffer[]] = [[], []];
    child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    // git may end before it has read everything; its exit code says why.
    child.stdin.on('error', () => undefined);
    child.once('error', (cause) =>
      reject(new RepositoryError('git could not be started. Install git, or put it on the PATH.', { cause })),
    );
    child.once('close', (code) =>
      resolve({ code, stdout: Buffer.concat(out), stderr: Buffer.concat(err).toString('utf8') }),
    );
    child.stdin.end(input);
  });
}

/**
 * Runs git and gives what it printed.
 *
 * @throws RepositoryError when git says no.
 */
export async function askGit(repository: string, args: readonly string[], input?: Buffer): Promise<Buffer> {
  const { code, stdout, stderr } = await runGit(repository, args, input);
  if (code === 0) return stdout;
  throw new RepositoryError(
    `git ${args[0]} failed on ${repository}: ${stderr.trim().split('\n').at(-1) ?? 'it gave no reason'}`,
  );
}
