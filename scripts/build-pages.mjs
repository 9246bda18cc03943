/**
 * Builds the pages of Unsay, and only when a source is newer than the last build.
 *
 * A start with nothing to build costs stat calls: Vite is loaded when there is work for it.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Refusal, ROOT } from './bootstrap.mjs';

const STAMP = '.built';

/**
 * Resolves when the pages are as new as their sources; refuses with one sentence when they cannot be built.
 * Until then a running server keeps the pages it had.
 */
export async function buildPages(app = join(ROOT, 'apps/unsay')) {
  const web = join(app, 'web');
  const output = join(app, 'dist/web');
  const newest = newestSource([web, join(app, 'vite.config.ts'), join(ROOT, 'package-lock.json')]);
  if (!existsSync(web) || isBuilt(output, newest)) return;
  const fresh = `${output}.building-${process.pid}`;
  mkdirSync(join(app, 'dist'), { recursive: true });
  process.stderr.write('Building the pages …\n');
  try {
    await viteBuild(app, fresh, 'production');
    await viteBuild(app, fresh, 'card');
    // Dated by its sources, not by its end: an edit made during the build is newer and is built next time.
    writeFileSync(join(fresh, STAMP), '');
    utimesSync(join(fresh, STAMP), new Date(newest), new Date(newest));
    replaceFolder(fresh, output);
  } catch (error) {
    throw new Refusal(`The pages could not be built: ${error instanceof Error ? error.message : error}`);
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
}

/**
 * @param {string} output
 * @param {number} newest
 */
export function isBuilt(output, newest) {
  const stamp = statSync(join(output, STAMP), { throwIfNoEntry: false });
  return stamp !== undefined && stamp.mtimeMs >= Math.floor(newest);
}

/**
 * Milliseconds since the epoch at which any of the paths last changed; a folder's own date tells of deletions.
 * @param {readonly string[]} paths
 * @returns {number}
 */
export function newestSource(paths) {
  let newest = 0;
  for (const path of paths) {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) continue;
    newest = Math.max(newest, stat.mtimeMs);
    if (stat.isDirectory()) {
      const inside = readdirSync(path).map((name) => join(path, name));
      newest = Math.max(newest, newestSource(inside));
    }
  }
  return newest;
}

/**
 * @param {string} app
 * @param {string} outDir
 * @param {'production' | 'card'} mode the card is one file, which cannot be built together with pages that share theirs
 */
async function viteBuild(app, outDir, mode) {
  const { build } = await import('vite');
  await build({
    mode,
    configFile: join(app, 'vite.config.ts'),
    configLoader: 'native',
    logLevel: 'silent',
    build: { outDir, emptyOutDir: mode === 'production' },
  });
}

/**
 * Puts a folder in another's place with two renames, so that nobody ever sees half a build. Another process may
 * be doing the same (`npm start` beside `npm test`): the last one wins.
 * @param {string} fresh
 * @param {string} place
 */
export function replaceFolder(fresh, place) {
  const old = `${place}.old-${process.pid}`;
  while (!renamed(fresh, place, ['ENOTEMPTY', 'EEXIST'])) {
    renamed(place, old, ['ENOENT']);
    rmSync(old, { recursive: true, force: true });
  }
}

/**
 * Renames a folder; false where that failed for one of the expected reasons.
 * @param {string} from
 * @param {string} to
 * @param {readonly string[]} expected
 */
function renamed(from, to, expected) {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (expected.includes(String(/** @type {NodeJS.ErrnoException} */ (error).code))) return false;
    throw error;
  }
}
