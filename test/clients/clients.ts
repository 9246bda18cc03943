/** `npm run clients`: real clients against Unsay and the probe. `--help` says more. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { onInterrupt } from '../harness/on-interrupt.ts';
import {
  ROOT,
  type RunningServer,
  removeFolder,
  startServer,
  temporaryFolder,
} from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';
import { CATALOGUE, type CataloguedClient } from './catalogue.ts';
import { type ClientResult, clientsPage } from './client-table.ts';
import { type Act, drive } from './driver.ts';
import { installClients, NotInstalled, versionOf } from './install-clients.ts';
import { type ProbeReport, startProbe } from './probe-process.ts';

const PAGE = join(ROOT, 'docs/clients.md');
const TRANSCRIPTS = join(ROOT, 'conformance/transcripts');
const FACT = 'care://ray/wound';

const USAGE = `Usage: npm run clients [-- --only ID]

Runs real clients, written by others, against Unsay and against the probe (open, and asking for a token): they
connect, list, read, call whats_changed and, where they can, subscribe. The clients are installed by a lock file of
their own (conformance/clients) the first time.

  --only ID   just this one; nothing is written then. One of:
              ${CATALOGUE.map(({ id }) => id).join(', ')}

Without --only it rewrites docs/clients.md and the fixtures in conformance/transcripts, which npm test replays.
Exits 0 when every client read a fact of Unsay's, 1 when one did not, 2 when it was called wrongly.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const chosen = choose(args);
  if (typeof chosen === 'string') {
    process[chosen === USAGE ? 'stdout' : 'stderr'].write(chosen === USAGE ? USAGE : `${chosen}\n\n${USAGE}`);
    return chosen === USAGE ? 0 : 2;
  }
  try {
    await installClients(print);
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error;
    process.stderr.write(`The clients could not be installed: ${error.message}\n`);
    return 1;
  }
  const data = temporaryFolder();
  const server = await startServer(data);
  onInterrupt(async () => {
    await server.stop();
    removeFolder(data);
  });
  const results: ClientResult[] = [];
  try {
    for (const client of chosen) results.push(await tryOut(client, server, chosen.length > 1));
  } finally {
    await server.stop();
    removeFolder(data);
  }
  if (chosen.length > 1) {
    writeFileSync(PAGE, clientsPage(results, new Date().toISOString().slice(0, 10)));
    spawnSync(process.execPath, [
      join(ROOT, 'node_modules/@biomejs/biome/bin/biome'),
      'format',
      '--write',
      TRANSCRIPTS,
    ]);
    print(`wrote docs/clients.md and ${results.length} clients' transcripts`);
  }
  const failed = results.filter(({ unsay }) => !unsay.some(({ act, ok }) => act === 'read' && ok));
  print(`${results.length - failed.length} of ${results.length} clients read a fact`);
  return failed.length === 0 ? 0 : 1;
}

function choose(args: readonly string[]): readonly CataloguedClient[] | string {
  try {
    const options = { only: { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;
    const { values } = parseArgs({ args: [...args], options });
    if (values.help) return USAGE;
    if (values.only === undefined) return CATALOGUE;
    const found = CATALOGUE.filter(({ id }) => id === values.only);
    return found.length === 0 ? `There is no client ${values.only}.` : found;
  } catch (error) {
    return (error as Error).message;
  }
}

async function tryOut(
  client: CataloguedClient,
  server: RunningServer,
  keeps: boolean,
): Promise<ClientResult> {
  const version = versionOf(client.program);
  const unsay = await atUnsay(client, server);
  const open = await atProbe(client, 'open', version, keeps);
  const auth = await atProbe(client, 'auth', version, keeps);
  const told = (where: string, acts: readonly Act[]): void => print(`  ${where.padEnd(11)} ${summary(acts)}`);
  print(`${client.id} ${version}`);
  told('Unsay', unsay);
  told('probe', open.acts);
  told('signing in', auth.acts);
  return { client, version, open: open.acts, auth: auth.acts, unsay, seen: open.seen, seenAuth: auth.seen };
}

async function atUnsay(client: CataloguedClient, server: RunningServer): Promise<readonly Act[]> {
  const token = await server.mint('care.read.user', { sub: client.id });
  return withHome((home) =>
    drive({
      client,
      home,
      token,
      url: `${server.url}/mcp`,
      signsIn: false,
      onFollowing: () => void publish(server.url, FACT, `Corrected for ${client.id}.`),
    }),
  );
}

async function atProbe(
  client: CataloguedClient,
  phase: 'open' | 'auth',
  version: string,
  keeps: boolean,
): Promise<{ readonly acts: readonly Act[]; readonly seen: readonly ProbeReport[] }> {
  const data = temporaryFolder();
  const probe = await startProbe(phase, data);
  try {
    // The probe's fact changes every second by itself.
    const run = { client, url: probe.url, token: null, signsIn: phase === 'auth', onFollowing: () => {} };
    const acts = await withHome((home) => drive({ ...run, home }));
    if (keeps) {
      mkdirSync(TRANSCRIPTS, { recursive: true });
      const kept = { program: `${client.program} ${version}`, transcripts: await probe.transcripts() };
      writeFileSync(join(TRANSCRIPTS, `${client.id}-${phase}.json`), `${JSON.stringify(kept, null, 2)}\n`);
    }
    return { acts, seen: await probe.report() };
  } finally {
    await probe.stop();
    removeFolder(data);
  }
}

async function withHome<T>(work: (home: string) => Promise<T>): Promise<T> {
  const home = temporaryFolder();
  try {
    return await work(home);
  } finally {
    removeFolder(home);
  }
}

function summary(acts: readonly Act[]): string {
  return acts.map(({ act, ok, detail }) => (ok ? act : `NOT ${act} (${detail})`)).join(', ') || 'nothing';
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
