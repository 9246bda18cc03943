import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { ROOT } from './bootstrap.mjs';

/** What the package.json of a workspace says, as far as packing goes. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, string>>;
  readonly bin?: Readonly<Record<string, string>>;
  readonly dependencies?: Readonly<Record<string, string>>;
}

/** A workspace that is shipped. */
export interface Shipped {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** Whoever needs a program that failed is told its words. */
export class BuildError extends Error {}

const PARENTS = ['packages', 'proofs', 'apps'];
// What a package takes along from outside its folder.
const BESIDE: Readonly<Record<string, readonly string[]>> = { unsay: ['skills'] };

/** The workspaces that are not private, those that others use first in no particular order. */
export function shippedWorkspaces(): readonly Shipped[] {
  return PARENTS.flatMap((parent) => readdirSync(join(ROOT, parent)).map((name) => join(parent, name)))
    .filter((folder) => existsSync(join(ROOT, folder, 'package.json')))
    .map((folder) => ({ folder, manifest: readManifest(join(ROOT, folder)) }))
    .filter(({ manifest }) => manifest.private !== true);
}

/**
 * Lays out what a workspace ships: JavaScript and declarations in place of TypeScript, since Node takes the types
 * off no file below node_modules; every other file of its sources; its built pages; the licence. No test.
 */
export function stage({ folder, manifest }: Shipped, place: string): void {
  const source = join(ROOT, folder);
  run(process.execPath, [
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    ...['-p', source, '--outDir', place, '--rewriteRelativeImportExtensions'],
    ...['--emitDeclarationOnly', 'false', '--composite', 'false', '--incremental', 'false', '--declaration'],
  ]);
  for (const file of filesBelow(place)) if (isOnlyForTests(file)) rmSync(join(place, file));
  if (!Object.keys(manifest.exports ?? {}).includes('./testing'))
    rmSync(join(place, 'testing'), { recursive: true, force: true });
  for (const file of filesBelow(join(source, 'src')).filter((file) => !/\.[cm]?ts$/.test(file)))
    cpSync(join(source, 'src', file), join(place, 'src', file));
  for (const name of ['README.md', 'dist/web'])
    if (existsSync(join(source, name))) cpSync(join(source, name), join(place, name), { recursive: true });
  for (const name of BESIDE[manifest.name] ?? [])
    cpSync(join(ROOT, name), join(place, name), { recursive: true });
  cpSync(join(ROOT, 'LICENSE'), join(place, 'LICENSE'));
  writeFileSync(join(place, 'package.json'), `${JSON.stringify(shippedManifest(source), null, 2)}\n`);
}

/** Packs a laid-out folder and gives the path of the tarball. */
export function pack(place: string, destination: string): string {
  mkdirSync(destination, { recursive: true });
  const said = run('npm', ['pack', '--json', '--silent', '--pack-destination', destination], place);
  const filename = /"filename": ?"([^"]+)"/.exec(said)?.[1];
  if (filename === undefined) throw new BuildError(`npm pack named no file: ${said}`);
  return join(destination, filename);
}

/** Runs a program to its end and gives what it printed. */
export function run(program: string, args: readonly string[], cwd = ROOT): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (error !== undefined) throw new BuildError(`${program} could not be started: ${error.message}`);
  if (status !== 0) throw new BuildError(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  return stdout;
}

/** Every file below a folder, by its path from there. */
export function filesBelow(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

function isOnlyForTests(file: string): boolean {
  return /\.test\.(js|d\.ts)$|^vite\.config\.|^src\/(.*\/)?fixtures\/|^web\/|^src\/(simulation|non-interference)\//.test(
    file,
  );
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

function shippedManifest(source: string): object {
  const {
    devDependencies: _tools,
    scripts: _scripts,
    ...kept
  } = readManifest(source) as Manifest & {
    devDependencies?: unknown;
    scripts?: unknown;
  };
  const { exports = {}, bin = {} } = kept;
  const entries = Object.entries(exports).map(([path, file]) => {
    return [path, { types: file.replace(/\.ts$/, '.d.ts'), default: file.replace(/\.ts$/, '.js') }];
  });
  const programs = Object.entries(bin).map(([name, file]) => [name, file.replace(/\.ts$/, '.js')]);
  return {
    ...kept,
    engines: { node: '>=24' },
    ...(entries.length > 0 && { exports: Object.fromEntries(entries) }),
    ...(programs.length > 0 && { bin: Object.fromEntries(programs) }),
  };
}
