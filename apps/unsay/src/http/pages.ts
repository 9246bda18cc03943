import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join, relative } from 'node:path';

/** One file of the built pages. */
export interface PageFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
  /** Whether the name changes with the content. */
  readonly immutable: boolean;
  readonly policy: string;
}

/** The built pages by path (`/device`, `/assets/…`). */
export type PageFiles = ReadonlyMap<string, PageFile>;

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ico': 'image/x-icon',
  '.png': 'image/png',
  '.json': 'application/json',
};

/** The page that is one file, as hosts are given it for a card. */
export const CARD_PATH = '/card';

/** The page on which people sign in. It is shown under the address of their sign-in and nowhere else. */
export const SIGN_IN_PAGE = '/sign-in';

/** The paths of the pages themselves. */
export const PAGE_PATHS: readonly string[] = ['/', '/device', '/console', CARD_PATH];

// Nothing is loaded from elsewhere, nothing inline runs that the build did not put there, and no page can be framed.
const FOR_EVERY_PAGE = "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'";
const POLICY = `default-src 'self'; ${FOR_EVERY_PAGE}`;

const PAGE_HEADERS = {
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
};

/** Reads the built pages into memory. An empty folder, or none, gives no pages. */
export function loadPages(folder: string): PageFiles {
  const files = new Map<string, PageFile>();
  for (const path of filesBelow(folder)) {
    const mediaType = MEDIA_TYPES[extname(path)];
    if (mediaType === undefined) continue;
    const name = `/${relative(folder, path).replaceAll('\\', '/')}`;
    const route = name === '/index.html' ? '/' : name.replace(/^\/([a-z-]+)\.html$/, '/$1');
    const bytes = readFileSync(path);
    const policy = route === CARD_PATH ? inlinePolicy(bytes.toString('utf8')) : POLICY;
    files.set(route, { bytes, mediaType, immutable: name.startsWith('/assets/'), policy });
  }
  return files;
}

/** Answers with a page or one of its files. */
export function sendPage(res: ServerResponse, file: PageFile, head: boolean): void {
  res.writeHead(200, {
    'content-type': file.mediaType,
    'content-length': file.bytes.length,
    'content-security-policy': file.policy,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...PAGE_HEADERS,
  });
  res.end(head ? undefined : file.bytes);
}

/** Lets run exactly the scripts and styles that stand in the page, and lets it ask its own server. */
function inlinePolicy(html: string): string {
  const sources = (element: string): string =>
    [...html.matchAll(new RegExp(`<${element}[^>]*>(.*?)</${element}>`, 'gs'))]
      .map(([, text = '']) => `'sha256-${hash('sha256', text, 'base64')}'`)
      .join(' ');
  const own = `script-src ${sources('script')}; style-src ${sources('style')}; connect-src 'self'`;
  return `default-src 'none'; ${own}; ${FOR_EVERY_PAGE}`;
}

function filesBelow(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
