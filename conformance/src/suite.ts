import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export const ERAS = ['2025-11-25', '2026-07-28'] as const;
export type Era = (typeof ERAS)[number];

/** One thing that a scenario looked at, as the suite writes it. */
export interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  readonly errorMessage?: string;
}

export interface ScenarioResult {
  readonly scenario: string;
  /** Undefined when the suite itself broke off. */
  readonly checks: readonly Check[] | undefined;
}

/** The server scenarios of one era. */
export interface Scenarios {
  /** What the suite requires of a server of this revision; frozen with the revision. */
  readonly required: readonly string[];
  /** Every scenario that applies to this revision, the required ones included. */
  readonly all: readonly string[];
  /** Those of the extensions that the endpoint has. They belong to no revision and are run at each. */
  readonly extensions: readonly string[];
}

/** How the names begin of the scenarios of each extension that the endpoint has and the suite knows: Skills. */
const EXTENSION_SCENARIOS = /^sep-2640-/;

/** No run takes a minute; one that takes longer waits for something that never comes. */
const LONGEST_RUN_MS = 180_000;

// The package has a command line and no module: this is how to find it wherever npm put it.
const HOME = dirname(
  createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json'),
);

/** Asks the suite itself which server scenarios there are. */
export async function scenariosOf(era: Era): Promise<Scenarios> {
  const all = await run(['list', '--server', '--spec-version', era]);
  const required = await run(['list', '--server', '--requirements', era]);
  const everything = namesIn(await run(['list', '--server']));
  const extensions = everything.filter((name) => EXTENSION_SCENARIOS.test(name));
  return { required: namesIn(required), all: namesIn(all), extensions };
}

/** Runs scenarios against a server as a client of one era: all that belong to the era, or one that need not. */
export async function runSuite(url: string, era: Era, scenario?: string): Promise<readonly ScenarioResult[]> {
  const folder = mkdtempSync(join(tmpdir(), 'conformance-'));
  try {
    const which = scenario === undefined ? ['--suite', 'all'] : ['--scenario', scenario, '--force'];
    await run(['server', '--url', url, '--spec-version', era, '--output-dir', folder, ...which]);
    return readdirSync(folder).map((name) => ({
      scenario: name.replace(/^server-/, '').replace(/-\d{4}-\d{2}-\d{2}T[\d-]+Z$/, ''),
      checks: checksIn(join(folder, name, 'checks.json')),
    }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function checksIn(file: string): readonly Check[] | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return undefined;
  }
}

/** The names in the first list that the suite prints: what follows it is not scored, or is of clients. */
function namesIn(printed: string): readonly string[] {
  const [, list = ''] = printed.split(/^Server scenarios.*$/m);
  const [own = ''] = list.split(/\n\n(?=\S)/);
  return [...own.matchAll(/^ {2}- ([\w-]+)/gm)].map(([, name = '']) => name);
}

/** What the suite prints. It exits 1 where a check fails, which is for us to judge. */
function run(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [join(HOME, 'dist/index.js'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_RUN_MS,
  });
  let printed = '';
  let complained = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complained += text;
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0 || code === 1) resolve(printed);
      else reject(new Error(`the suite ended with ${signal ?? code}: ${complained.trim().slice(-500)}`));
    });
  });
}
