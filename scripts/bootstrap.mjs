/**
 * Makes a fresh clone runnable: dependencies from the lock file, then the pinned Node.
 *
 * Runs on Node 20 with nothing installed, so it imports only `node:` modules and stays plain JavaScript.
 * Standard output belongs to the command that is being started (`unsay token mint` prints only a token), so
 * everything said here goes to standard error.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = resolve(fileURLToPath(import.meta.url), '../..');

/** @type {readonly NodeJS.Signals[]} */
const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP'];
// Well within what the server takes for one and the same signal.
const PASSED_ON_AFTER_MS = 300;

/** A refusal that a person can act on. It is printed as its one sentence, never as a stack trace. */
export class Refusal extends Error {}

/** Returns once dependencies are there and this process is the pinned Node; otherwise restarts on it. */
export async function bootstrap() {
  if (installIsDue(ROOT)) await install(ROOT);
  if (!isAtLeast(process.versions.node, pinnedNode(ROOT))) await restartOnPinnedNode(ROOT);
}

/**
 * Runs `main` and ends the process with 1 and one sentence where it refuses.
 * @param {() => Promise<void>} main
 */
export async function orRefuse(main) {
  try {
    await main();
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(1);
  }
}

/**
 * Runs a source file in this process as if it had been given to `node`.
 * @param {string} file path from the root of the clone
 * @param {readonly string[]} args
 */
export async function runFile(file, args) {
  const path = resolve(ROOT, file);
  if (!existsSync(path)) throw new Refusal(`There is no ${file} in this clone.`);
  process.argv = [process.execPath, path, ...args];
  await import(pathToFileURL(path).href);
}

/**
 * npm writes its record, `node_modules/.package-lock.json`, last: an interrupted install has none, and one that left
 * out development dependencies has no Node. A lock file that is newer may still say the same, as in a copied folder.
 * @param {string} root
 */
export function installIsDue(root) {
  const lock = join(root, 'package-lock.json');
  const record = join(root, 'node_modules/.package-lock.json');
  const [wanted, installed] = [modifiedAt(lock), modifiedAt(record)];
  if (wanted === undefined) {
    throw new Refusal('package-lock.json is missing: restore it with git, then run this again.');
  }
  if (installed === undefined || !existsSync(join(root, 'node_modules/node'))) return true;
  return wanted > installed && !holds(readPackages(record), readPackages(lock));
}

/** @typedef {Readonly<Record<string, { version?: string, integrity?: string, resolved?: string, optional?: boolean }>>} Packages */

/**
 * Whether every package of the lock file is on the record, but for optional ones of other platforms.
 * @param {Packages} record
 * @param {Packages} lock
 */
function holds(record, lock) {
  return Object.entries(lock)
    .filter(([path]) => path.startsWith('node_modules/'))
    .every(([path, { version, integrity, resolved, optional }]) => {
      const found = record[path];
      if (found === undefined) return optional === true;
      return found.version === version && found.integrity === integrity && found.resolved === resolved;
    });
}

/**
 * @param {string} file
 * @returns {Packages}
 */
function readPackages(file) {
  return JSON.parse(readFileSync(file, 'utf8')).packages;
}

/** @param {string} path */
function modifiedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs;
}

/** @param {string} root */
async function install(root) {
  const started = performance.now();
  process.stderr.write(
    'Installing dependencies (first run, or the lock file changed; about half a minute) …\n',
  );
  // NODE_ENV=production or a personal omit= setting would leave out the very tools that this runs on.
  const args = ['ci', '--include=dev', '--include=optional', '--loglevel=error', '--no-audit', '--no-fund'];
  const env = { ...process.env, PATH: pathWithoutOwnBinaries(root) };
  const outcome = await finished(spawn('npm', args, { cwd: root, env, stdio: ['ignore', 2, 2] }));
  for (const signal of FORWARDED) process.removeAllListeners(signal);
  if (outcome === 'not-started') {
    throw new Refusal('npm was not found on the PATH: install Node 20 or newer together with npm.');
  }
  if (outcome.code !== 0) {
    const how = outcome.signal
      ? `was interrupted (${outcome.signal})`
      : `failed (npm ci ended with ${outcome.code})`;
    throw new Refusal(`Installing dependencies ${how}; run the same command again, or "npm ci" to see why.`);
  }
  process.stderr.write(`Installed in ${Math.round((performance.now() - started) / 1000)} s.\n`);
}

/**
 * While npm replaces node_modules, the Node inside it comes and goes; npm has to run on the machine's own.
 * @param {string} root
 */
function pathWithoutOwnBinaries(root) {
  const own = join(root, 'node_modules/.bin');
  return (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => resolve(folder) !== own)
    .join(delimiter);
}

/** @param {string} root */
function pinnedNode(root) {
  return String(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).devDependencies.node);
}

/**
 * @param {string} version
 * @param {string} least
 */
export function isAtLeast(version, least) {
  const have = version.split('.').map(Number);
  for (const [i, want] of least.split('.').map(Number).entries()) {
    const part = have[i] ?? 0;
    if (part !== want) return part > want;
  }
  return true;
}

/** @param {string} root */
async function restartOnPinnedNode(root) {
  const node = join(root, 'node_modules/node/bin/node');
  if (!existsSync(node)) {
    throw new Refusal(
      `The pinned Node ${pinnedNode(root)} is not unpacked because npm skipped its install script: ` +
        'run "npm rebuild node --ignore-scripts=false", then run this again.',
    );
  }
  if (realpathSync(node) === realpathSync(process.execPath)) {
    throw new Refusal(
      `node_modules holds Node ${process.versions.node}, and package.json asks for ${pinnedNode(root)}: run "npm ci".`,
    );
  }
  const outcome = await finished(
    spawn(node, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' }),
  );
  if (outcome === 'not-started') throw new Refusal(`${node} could not be started: run "npm ci".`);
  if (outcome.signal === null) process.exit(outcome.code ?? 1);
  for (const signal of FORWARDED) process.removeAllListeners(signal);
  process.kill(process.pid, outcome.signal);
  await new Promise(() => {});
}

/**
 * Waits for a child that stands in for this process: what would end this one is passed on to it. It goes on being
 * caught afterwards, since npm may pass on a Ctrl-C when the child has ended well and this process is about to.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<'not-started' | { code: number | null, signal: NodeJS.Signals | null }>}
 */
export async function finished(child) {
  /** @type {NodeJS.Timeout[]} */
  const passing = [];
  /** @param {NodeJS.Signals} signal */
  const forward = (signal) => {
    if (signal !== 'SIGINT') child.kill(signal);
    // Ctrl-C goes to a whole group, and the child has it then. A second one that met it in its very last moment would
    // end it as if it had been killed, so it is passed on only to one that is still there a little later.
    else if (!process.stdin.isTTY) passing.push(setTimeout(() => child.kill(signal), PASSED_ON_AFTER_MS));
  };
  for (const signal of FORWARDED) process.on(signal, forward);
  try {
    return await new Promise((settle) => {
      child.once('error', () => settle('not-started'));
      child.once('close', (code, signal) => settle({ code, signal }));
    });
  } finally {
    for (const timer of passing) clearTimeout(timer);
  }
}
