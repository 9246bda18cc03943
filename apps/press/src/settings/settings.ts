import type { GitHubOptions } from '../git/github-repository.ts';

/** One setting: its environment variable names it, the flag follows from it. */
export interface SettingRow {
  readonly env: string;
  readonly fallback: string;
  readonly what: string;
}

/** Every setting of Press. `PRESS_PUBLIC_URL` is also `--public-url`. */
export const SETTINGS = {
  host: { env: 'PRESS_HOST', fallback: '127.0.0.1', what: 'address to listen on' },
  port: { env: 'PRESS_PORT', fallback: '8788', what: 'port to listen on; 0 takes a free one' },
  publicUrl: {
    env: 'PRESS_PUBLIC_URL',
    fallback: '',
    what: 'address of the site as readers know it; that of the server when not given',
  },
  data: { env: 'PRESS_DATA', fallback: './data-press', what: 'folder of the repository and the database' },
  githubRepository: {
    env: 'PRESS_GITHUB_REPOSITORY',
    fallback: '',
    what: 'owner/name of a repository on GitHub with a branch main, for posts to be kept there and not in the folder',
  },
  githubToken: {
    env: 'PRESS_GITHUB_TOKEN',
    fallback: '',
    what: 'token that may read and write the contents of that repository',
  },
  githubApi: {
    env: 'PRESS_GITHUB_API',
    fallback: 'https://api.github.com',
    what: 'address of GitHub’s API',
  },
  title: { env: 'PRESS_TITLE', fallback: 'Far Post', what: 'title of the site' },
  description: {
    env: 'PRESS_DESCRIPTION',
    fallback: 'Notices from a harbour that does not exist. A demonstration; everything in it is fiction.',
    what: 'what the site is, in one sentence',
  },
  seed: {
    env: 'PRESS_SEED',
    fallback: 'demo',
    what: 'demo fills an empty repository with a small made-up site; none leaves it empty',
  },
} as const satisfies Record<string, SettingRow>;

/** The effective settings, checked. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** Null when it follows from the server's own address. */
  readonly publicUrl: string | null;
  readonly data: string;
  /** Null when posts are kept in the data folder. */
  readonly github: Omit<GitHubOptions, 'fetch'> | null;
  readonly title: string;
  readonly description: string;
  readonly seed: 'demo' | 'none';
}

/** A setting that cannot be used; the message says which, and what to do. */
export class SettingError extends Error {
  override readonly name = 'SettingError';
}

/** The flag of a setting: `PRESS_PUBLIC_URL` is `public-url`. */
export function flagOf({ env }: SettingRow): string {
  return env.replace('PRESS_', '').toLowerCase().replaceAll('_', '-');
}

type Given = Readonly<Record<string, string | undefined>>;

/**
 * Reads settings from flags, then the environment, then defaults.
 *
 * @throws SettingError for a value that cannot be used.
 */
export function readSettings(flags: Given, environment: Given): Settings {
  const text = (row: SettingRow): string => flags[flagOf(row)] ?? (environment[row.env] || row.fallback);
  const [port, publicUrl, seed] = [text(SETTINGS.port), text(SETTINGS.publicUrl), text(SETTINGS.seed)];
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new SettingError('PRESS_PORT must be a whole number from 0 to 65535.');
  if (publicUrl !== '' && !isOrigin(publicUrl.replace(/\/+$/, '')))
    throw new SettingError(
      'PRESS_PUBLIC_URL must be an address like https://press.example.org, with no path.',
    );
  if (seed !== 'demo' && seed !== 'none') throw new SettingError('PRESS_SEED must be demo or none.');
  return {
    host: text(SETTINGS.host),
    port: Number(port),
    publicUrl: publicUrl === '' ? null : publicUrl.replace(/\/+$/, ''),
    data: text(SETTINGS.data),
    github: gitHubOf(text(SETTINGS.githubRepository), text(SETTINGS.githubToken), text(SETTINGS.githubApi)),
    title: text(SETTINGS.title),
    description: text(SETTINGS.description),
    seed,
  };
}

function gitHubOf(repository: string, token: string, address: string): Settings['github'] {
  if (repository === '' && token === '') return null;
  if (!/^[\w.-]+\/[\w.-]+$/.test(repository) || token === '')
    throw new SettingError(
      'PRESS_GITHUB_REPOSITORY, like owner/name, and PRESS_GITHUB_TOKEN belong together. Set both, or neither.',
    );
  const api = address.replace(/\/+$/, '');
  // The token goes there.
  if (!/^https:\/\/[^/@]+(\/[\w./-]+)?$/.test(api) && !/^http:\/\/127\.0\.0\.1(:\d+)?$/.test(api))
    throw new SettingError('PRESS_GITHUB_API must be an address over https.');
  return { repository, token, api };
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && new URL(text).origin === text;
}
