/** `npm run fresh-clone`: the two commands and every other script, from an empty folder and an empty HOME. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { ROOT } from './bootstrap.mjs';
import { freshClonePlan, freshEnvironment, type Step } from './fresh-clone-plan.ts';

const USAGE = `Usage: npm run fresh-clone [-- --skip-test]

Clones the last commit into an empty folder and runs there, with an empty HOME: npm start until it is ready, npm
test, and every other script that ends by itself. It prints how long each took, and the end of what a failing one
said. It needs a package registry and takes many minutes.

  --skip-test   leaves out npm test

Exits 0 when everything worked, 1 when something failed, 2 when it was called wrongly.
`;

const LAST_LINES = 30;
const options = read(process.argv.slice(2));
if (options === 'wrong' || options === 'help') {
  (options === 'help' ? process.stdout : process.stderr).write(USAGE);
  process.exitCode = options === 'help' ? 0 : 2;
} else {
  const place = mkdtempSync(join(tmpdir(), 'unsay-fresh-'));
  try {
    process.exitCode = await live(place, options.test);
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

function read(args: string[]): { readonly test: boolean } | 'help' | 'wrong' {
  const flag = { type: 'boolean' } as const;
  try {
    const { values } = parseArgs({ args, options: { help: { ...flag, short: 'h' }, 'skip-test': flag } });
    return values.help ? 'help' : { test: !values['skip-test'] };
  } catch {
    return 'wrong';
  }
}

async function live(place: string, test: boolean): Promise<number> {
  const [clone, home] = [join(place, 'clone'), join(place, 'home')];
  mkdirSync(home);
  const env = freshEnvironment(process.env, home, join(ROOT, 'node_modules'));
  const git = (...args: readonly string[]): string => {
    const { status, stdout, stderr } = spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' });
    if (status !== 0) throw new Error(`git ${args.join(' ')}: ${stderr}`);
    return stdout.trim();
  };
  git('clone', '--quiet', ROOT, clone);
  say(`cloned ${git('rev-parse', '--short', 'HEAD')}`);
  if (git('status', '--porcelain') !== '') say('what is not committed is left out');
  const failed: string[] = [];
  const timed = async (name: string, work: () => Promise<string | null>): Promise<void> => {
    const began = performance.now();
    const problem = await work();
    const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(7);
    say(`${seconds} s  ${problem === null ? 'ok    ' : 'FAILED'}  ${name}`);
    if (problem === null) return;
    failed.push(name);
    say(problem);
  };
  await timed('npm start', () => startUntilReady(clone, env));
  const { scripts } = JSON.parse(readFileSync(join(clone, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>;
  };
  for (const step of freshClonePlan(Object.keys(scripts), { test }))
    await timed(commandOf(step).join(' '), () => runToItsEnd(step, clone, env));
  say(failed.length === 0 ? 'fresh-clone: passed' : `fresh-clone: failed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

/** The first start, to its ready line and its end; gives what went wrong, or null. */
async function startUntilReady(cwd: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  const child = spawn('npm', ['start'], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = once(child, 'close') as Promise<[number | null]>;
  const lines: string[] = [];
  child.stderr.setEncoding('utf8').on('data', (text: string) => lines.push(text.trimEnd()));
  let wasReady = false;
  for await (const line of createInterface({ input: child.stdout })) {
    lines.push(line);
    if (!/^ready in \d+ ms$/.test(line)) continue;
    wasReady = true;
    // To the whole group, as a terminal sends Ctrl-C.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGINT');
  }
  const [code] = await closed;
  return wasReady && code === 0 ? null : `${lastOf(lines.join('\n'))}\nended with ${code}`;
}

async function runToItsEnd(
  step: Step,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<string | null> {
  const [program = '', ...args] = commandOf(step);
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let said = '';
  for (const output of [child.stdout, child.stderr]) {
    output.setEncoding('utf8').on('data', (text: string) => {
      said = lastOf(said + text);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  return code === 0 ? null : `${said}\nended with ${code}`;
}

function commandOf({ script, args }: Step): readonly string[] {
  return ['npm', 'run', script, ...(args.length === 0 ? [] : ['--', ...args])];
}

function lastOf(text: string): string {
  return text.split('\n').slice(-LAST_LINES).join('\n');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
