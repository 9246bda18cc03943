import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { extname, join, relative } from 'node:path';

/** One file of the built pages. */
export interface PageFile {
  readonly bytes: Buffer;
  readonly mediaType: string;
  /** Whether the name changes with the content. */
  readonly immutable: boolean;
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

/** The paths of the pages themselves. */
export const PAGE_PATHS: readonly string[] = ['/', '/device', '/console'];

// Nothing is loaded from elsewhere, nothing inline runs, and no page can be framed.
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
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
    const route = name === '/index.html' ? '/' : name.replace(/^\/([a-z]+)\.html$/, '/$1');
    files.set(route, { bytes: readFileSync(path), mediaType, immutable: name.startsWith('/assets/') });
  }
  return files;
}

/** Answers with a page or one of its files. */
export function sendPage(res: ServerResponse, file: PageFile, head: boolean): void {
  res.writeHead(200, {
    'content-type': file.mediaType,
    'content-length': file.bytes.length,
    'cache-control': file.immutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    ...PAGE_HEADERS,
  });
  res.end(head ? undefined : file.bytes);
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
