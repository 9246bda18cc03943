/** `npm run clients`: real clients against Unsay and the probe. `--help` says more. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type DocumentHost, startDocumentHost } from '../harness/client-document.ts';
import { onInterrupt } from '../harness/on-interrupt.ts';
import {
  ROOT,
  type RunningServer,
  removeFolder,
  startServer,
  temporaryFolder,
} from '../harness/running-server.ts';
import { publish } from '../harness/signed-write.ts';
import { startAgreeingPerson } from './agreeing-person.ts';
import { CATALOGUE, type CataloguedClient } from './catalogue.ts';
import { type ClientResult, clientsPage, hasRead } from './client-table.ts';
import { type Act, drive, type SignIn } from './driver.ts';
import { CLIENTS, installPrograms, NotInstalled, versionOf } from './install-programs.ts';
import { type ProbeReport, startProbe } from './probe-process.ts';

const PAGE = join(ROOT, 'docs/clients.md');
const TRANSCRIPTS = join(ROOT, 'conformance/transcripts');
const FACT = 'care://ray/wound';

/** What a client that is known by a document says of itself: where each of them listens for its answer. */
const DOCUMENT = {
  client_name: 'A client with a document',
  redirect_uris: [
    'http://127.0.0.1:33418/callback',
    'http://127.0.0.1:6276/oauth/callback',
    'http://localhost:6276/oauth/callback',
    'http://127.0.0.1:3334/oauth/callback',
    'http://localhost:3334/oauth/callback',
  ],
};

const USAGE = `Usage: npm run clients [-- --only ID]

Runs real clients, written by others, against Unsay and against the probe (open, and asking for a token): they
connect, list, read, call whats_changed and, where they can, subscribe; at Unsay with a token, and by signing in, by
registration and by a metadata document where they know one. The clients are installed by a lock file of
their own (conformance/clients) the first time.

  --only ID   just this one; nothing is written then. One of:
              ${CATALOGUE.map(({ id }) => id).join(', ')}

Without --only it rewrites docs/clients.md and the fixtures in conformance/transcripts, which npm test replays.
Exits 0 when every client read a fact of Unsay's with a token and signed in, and got another token by itself where it
is known to; 1 when one did otherwise, 2 when it was called wrongly. A document of a client's maker may be out of reach,
so nothing depends on it.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  const chosen = choose(args);
  if (typeof chosen === 'string') {
    process[chosen === USAGE ? 'stdout' : 'stderr'].write(chosen === USAGE ? USAGE : `${chosen}\n\n${USAGE}`);
    return chosen === USAGE ? 0 : 2;
  }
  try {
    await installPrograms(CLIENTS, print);
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error;
    process.stderr.write(`The clients could not be installed: ${error.message}\n`);
    return 1;
  }
  const data = temporaryFolder();
  const documents = await startDocumentHost();
  const server = await startServer(data, documents.settings);
  const person = await startAgreeingPerson(server);
  const end = async (): Promise<void> => {
    await Promise.all([person.close(), server.stop(), documents.close()]);
    removeFolder(data);
  };
  onInterrupt(end);
  const results: ClientResult[] = [];
  try {
    for (const client of chosen)
      results.push(await tryOut(client, { server, person: person.address, documents }, chosen.length > 1));
  } finally {
    await end();
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
  const count = (ways: (result: ClientResult) => readonly Act[] | null): string => {
    const tried = results.map(ways).filter((acts) => acts !== null);
    return `${tried.filter(hasRead).length} of ${tried.length}`;
  };
  print(`${count(({ unsay }) => unsay)} clients read a fact with a token`);
  print(`${count(({ signedIn }) => signedIn.registered)} signed in by registration and read one`);
  print(`${count(byOurDocument)} signed in by a metadata document and read one`);
  for (const { client } of results.filter(surprises)) print(`${client.id} did not do what it is known to do`);
  return results.some(surprises) ? 1 : 0;
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

/** Whether a client did not read, did not refresh, or did although it is known not to. */
function surprises(result: ClientResult): boolean {
  const ways = [result.unsay, result.signedIn.registered, byOurDocument(result)].filter(
    (acts) => acts !== null,
  );
  return ways.some(
    (acts) =>
      !hasRead(acts) || acts.some(({ act, ok }) => act === 'refresh' && ok !== result.client.refreshes),
  );
}

/** A document of a client's maker may be out of reach, which is no fault of anything that is tried here. */
function byOurDocument({ client, signedIn }: ClientResult): readonly Act[] | null {
  return client.document === 'of its maker' ? null : signedIn.documented;
}

/** Unsay, a person who signs in there, and where documents are that a client can be known by. */
interface Place {
  readonly server: RunningServer;
  readonly person: string;
  readonly documents: DocumentHost;
}

async function tryOut(client: CataloguedClient, place: Place, keeps: boolean): Promise<ClientResult> {
  const { server, person } = place;
  const version = versionOf(CLIENTS, client.program);
  const unsay = await atUnsay(client, server, null);
  const registered = await atUnsay(client, server, { person, document: null });
  const documented = await byDocument(client, place);
  const open = await atProbe(client, 'open', version, keeps);
  const auth = await atProbe(client, 'auth', version, keeps);
  const told = (where: string, acts: readonly Act[]): void => print(`  ${where.padEnd(11)} ${summary(acts)}`);
  print(`${client.id} ${version}`);
  told('Unsay', unsay);
  told('registered', registered);
  if (documented !== null) told('documented', documented);
  told('probe', open.acts);
  told('signing in', auth.acts);
  const { acts, seen } = open;
  const signedIn = { registered, documented };
  return { client, version, open: acts, auth: auth.acts, unsay, signedIn, seen, seenAuth: auth.seen };
}

/** Null for a client that knows no document. */
async function byDocument(
  client: CataloguedClient,
  { server, person, documents }: Place,
): Promise<readonly Act[] | null> {
  if (client.document === 'none') return null;
  if (client.document === 'of its maker')
    return atUnsay(client, server, { person, document: client.document });
  const path = `/${client.id}.json`;
  const acts = await atUnsay(client, server, { person, document: documents.serve(path, DOCUMENT) });
  // It may have registered itself all the same.
  if (documents.fetched(path)) return acts;
  return [{ act: 'document', ok: false, detail: 'nobody asked for its document' }];
}

async function atUnsay(
  client: CataloguedClient,
  server: RunningServer,
  signIn: SignIn | null,
): Promise<readonly Act[]> {
  const token = signIn === null ? await server.mint('care.read.user', { sub: client.id }) : null;
  return withHome((home) =>
    drive({
      client,
      home,
      token,
      url: `${server.url}/mcp`,
      signIn,
      // Each in words of its own: the same again within a second would be the same signature.
      onFollowing: () => void publish(server.url, FACT, `Corrected for ${client.id}, ${wayOf(signIn)}.`),
    }),
  );
}

function wayOf(signIn: SignIn | null): string {
  if (signIn === null) return 'with a token';
  return signIn.document === null ? 'registered' : 'by a document';
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
    const signIn = phase === 'auth' ? { person: null, document: null } : null;
    const run = { client, url: probe.url, token: null, signIn, onFollowing: () => {} };
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
