import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { ROOT } from '../harness/running-server.ts';
import type { CataloguedClient } from './catalogue.ts';

/** One thing that a client did, or tried. */
export interface Act {
  readonly act: string;
  readonly ok: boolean;
  readonly detail: string;
}

/** How a client gets a token. */
export interface SignIn {
  /** Who answers for the person where the server asks one; null where it asks nobody. */
  readonly person: string | null;
  /** The address of the metadata document that the client has, or `of its maker`; null for one that registers itself. */
  readonly document: string | null;
}

export interface DriverRun {
  readonly client: CataloguedClient;
  readonly url: string;
  /** Null for a client that brings none. */
  readonly token: string | null;
  /** How the client goes and gets a token where it is asked for one; null for one that does not. */
  readonly signIn: SignIn | null;
  /** An empty folder, which is the client's home. */
  readonly home: string;
  /** Called when the client follows a fact and waits to be told of a change. */
  readonly onFollowing: () => void;
}

const DRIVERS = join(ROOT, 'conformance/clients/drivers');
const PATIENCE_MS = 120_000;
const BROWSER = `#!/bin/sh
if [ -e "$HOME/nobody-is-there" ]; then exit; fi
if [ -n "$PERSON" ]; then set -- --get --data-urlencode "to=$1" "$PERSON"; fi
exec curl --silent --location --output /dev/null "$@"
`;

/** Has a client do what it can, and gives what came of it. */
export async function drive(run: DriverRun): Promise<readonly Act[]> {
  const { client, url, token, signIn, home } = run;
  const args = [
    ...(token === null ? [] : ['--token', token]),
    ...(signIn === null ? [] : ['--sign-in']),
    ...(signIn === null || signIn.document === null ? [] : ['--document', signIn.document]),
    ...client.args,
  ];
  const child = spawn(process.execPath, [join(DRIVERS, `${client.driver}.mjs`), url, ...args], {
    cwd: home,
    detached: true,
    env: { ...environment(home), ...(signIn?.person && { PERSON: signIn.person }) },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const late = setTimeout(() => endGroup(child), PATIENCE_MS);
  const acts: Act[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const act = actIn(line);
    if (act === undefined) return;
    if (act.act === 'following') run.onFollowing();
    else acts.push(act);
  });
  await once(child, 'close');
  clearTimeout(late);
  endGroup(child);
  return acts;
}

/** A home of its own, and a browser that agrees to everything, so that nobody's own settings take part. */
function environment(home: string): NodeJS.ProcessEnv {
  const programs = join(home, 'programs');
  mkdirSync(programs, { recursive: true });
  for (const name of ['browser', 'xdg-open', 'open']) {
    writeFileSync(join(programs, name), BROWSER);
    chmodSync(join(programs, name), 0o755);
  }
  return {
    PATH: `${programs}${delimiter}${process.env.PATH}`,
    BROWSER: join(programs, 'browser'),
    HOME: home,
    NO_COLOR: '1',
  };
}

function actIn(line: string): Act | undefined {
  try {
    const { act, ok, detail } = JSON.parse(line) as Partial<Act>;
    return act === undefined ? undefined : { act, ok: ok === true, detail: String(detail ?? '') };
  } catch {
    return undefined;
  }
}

/** Ends the driver and whatever it started. */
function endGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended by itself, with everything that it started.
  }
}
