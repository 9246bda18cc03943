/** `npm run build`: packs everything that is shipped, installs the packages into an empty project, and uses each once. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from './bootstrap.mjs';
import { buildPages } from './build-pages.mjs';
import {
  BuildError,
  filesBelow,
  pack,
  run,
  type Shipped,
  shippedWorkspaces,
  stage,
} from './packed-workspace.ts';

const USAGE = `Usage: npm run build

Builds the pages, compiles every workspace that is not private, and packs it into dist/. Then, in an empty project
outside the clone that has these packages and the libraries which they declare, and nothing else:
  imports every entry point of every package
  runs the programs of the packages with --help
  starts the server on an empty folder, asks it for a page and for /readyz, and stops it

Exits 0 when all of it worked, 1 when something is missing or fails, 2 when it was called wrongly. Nothing is
fetched: the libraries are those of this clone.
`;

const OUTPUT = join(ROOT, 'dist');
// The suite of an entry point for tests; who uses that has them.
const TEST_TOOLS = ['vitest', 'fast-check'];

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  if (args.length > 0) {
    const asked = args.length === 1 && ['--help', '-h'].includes(args[0] ?? '');
    (asked ? process.stdout : process.stderr).write(USAGE);
    return asked ? 0 : 2;
  }
  const place = mkdtempSync(join(tmpdir(), 'unsay-build-'));
  try {
    await build(place);
    process.stdout.write('build: passed\n');
    return 0;
  } catch (error) {
    if (!(error instanceof BuildError)) throw error;
    process.stderr.write(`build: failed: ${error.message}\n`);
    return 1;
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

async function build(place: string): Promise<void> {
  await buildPages();
  run(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-b']);
  rmSync(OUTPUT, { recursive: true, force: true });
  const workspaces = shippedWorkspaces();
  const project = join(place, 'project');
  for (const workspace of workspaces) {
    const { name } = workspace.manifest;
    const staged = join(place, 'staged', name);
    mkdirSync(staged, { recursive: true });
    stage(workspace, staged);
    const tarball = pack(staged, OUTPUT);
    const installed = join(project, 'node_modules', name);
    mkdirSync(installed, { recursive: true });
    run('tar', ['-xzf', tarball, '-C', installed, '--strip-components=1']);
    const size = Math.ceil(statSync(tarball).size / 1024);
    say(`packed dist/${basename(tarball)}: ${filesBelow(installed).length} files, ${size} kB`);
  }
  linkLibraries(project, workspaces);
  importAll(project, workspaces);
  runPrograms(project, workspaces);
  await serveOnce(project);
}

/** Links what the packages declare, and no more: a library that one forgot to declare is not found. */
function linkLibraries(project: string, workspaces: readonly Shipped[]): void {
  const ours = new Set(workspaces.map(({ manifest }) => manifest.name));
  const declared = workspaces.flatMap(({ manifest }) => Object.keys(manifest.dependencies ?? {}));
  for (const name of new Set([...declared, ...TEST_TOOLS])) {
    if (ours.has(name)) continue;
    const link = join(project, 'node_modules', name);
    if (!existsSync(join(ROOT, 'node_modules', name)))
      throw new BuildError(`${name} is declared and not installed`);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules', name), link);
  }
}

function importAll(project: string, workspaces: readonly Shipped[]): void {
  const entries = workspaces.flatMap(({ manifest }) =>
    Object.keys(manifest.exports ?? {}).map((path) => manifest.name + path.slice(1)),
  );
  const lines = entries.map(
    (entry) =>
      `console.log(${JSON.stringify(entry)}, Object.keys(await import(${JSON.stringify(entry)})).length);`,
  );
  writeFileSync(join(project, 'import-all.mjs'), `${lines.join('\n')}\n`);
  const counts = run(process.execPath, ['import-all.mjs'], project).trim().split('\n');
  for (const line of counts) say(`imported ${line.replace(/ (\d+)$/, ': $1 names')}`);
  if (counts.length !== entries.length || counts.some((line) => line.endsWith(' 0')))
    throw new BuildError('an entry point exports nothing');
}

function runPrograms(project: string, workspaces: readonly Shipped[]): void {
  for (const { manifest } of workspaces) {
    for (const name of Object.keys(manifest.bin ?? {})) {
      const said = run(
        process.execPath,
        [programOf(project, manifest.name, name, workspaces), '--help'],
        project,
      );
      if (said.trim() === '') throw new BuildError(`${name} --help says nothing`);
      say(`ran ${name} --help`);
    }
  }
}

function programOf(project: string, owner: string, name: string, workspaces: readonly Shipped[]): string {
  const file = workspaces.find(({ manifest }) => manifest.name === owner)?.manifest.bin?.[name] ?? '';
  return join(project, 'node_modules', owner, file.replace(/\.ts$/, '.js'));
}

/** The packed server, from its first start on an empty folder to its end. */
async function serveOnce(project: string): Promise<void> {
  const program = programOf(project, 'unsay', 'unsay', shippedWorkspaces());
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith('UNSAY_'));
  const env = {
    ...Object.fromEntries(others),
    UNSAY_PORT: '0',
    UNSAY_METRICS_PORT: '0',
    UNSAY_DATA: join(project, 'data'),
  };
  const server = spawn(process.execPath, [program, 'serve'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(server, 'close') as Promise<[number | null]>;
  let errors = '';
  server.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  let url = '';
  for await (const line of createInterface({ input: server.stdout })) {
    url = /^ {2}MCP +(\S+)\/mcp$/.exec(line)?.[1] ?? url;
    if (!/^ready in \d+ ms$/.test(line)) continue;
    const answers = await Promise.all(['/readyz', '/device'].map((path) => fetch(url + path)));
    server.kill('SIGTERM');
    const failed = answers.filter(({ ok }) => !ok).map((answer) => `${answer.url}: ${answer.status}`);
    if (failed.length > 0) throw new BuildError(`the packed server answered ${failed.join(', ')}`);
  }
  const [code] = await closed;
  if (code !== 0 || errors !== '') throw new BuildError(`the packed server ended with ${code}\n${errors}`);
  say('served: ready, a page, and a clean stop');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
