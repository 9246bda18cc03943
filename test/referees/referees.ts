/** `npm run referees`: judges of sign-in, written by others, against a server of our own. `--help` says more. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { startAgreeingPerson } from '../clients/agreeing-person.ts';
import { installPrograms, NotInstalled, REFEREES, versionOf } from '../clients/install-programs.ts';
import { type DocumentHost, startDocumentHost } from '../harness/client-document.ts';
import { onInterrupt } from '../harness/on-interrupt.ts';
import { removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { FLOWS, type Flow, linesOf, type Verdict, verdictIn } from './flows.ts';

const REDIRECT = 'http://127.0.0.1:33419/callback';
const PROGRAM = '@mcpjam/sdk';
const PATIENCE_MS = 120_000;

const USAGE = `Usage: npm run referees

Runs the OAuth conformance test of ${PROGRAM} against a server that it starts: discovery, registration or a metadata
document, the authorization code with PKCE, tokens, and what must be refused. A person with a passkey signs in. The
test is installed by a lock file of its own (conformance/referees) the first time.

The last line says how many flows passed. Exits 0 when all did, 1 when one did not, 2 when it was called wrongly.
`;

process.exitCode = await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<number> {
  try {
    const { values } = parseArgs({ args: [...args], options: { help: { type: 'boolean', short: 'h' } } });
    if (values.help) {
      process.stdout.write(USAGE);
      return 0;
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${USAGE}`);
    return 2;
  }
  try {
    await installPrograms(REFEREES, print);
  } catch (error) {
    if (!(error instanceof NotInstalled)) throw error;
    process.stderr.write(`The referees could not be installed: ${error.message}\n`);
    return 1;
  }
  return judge();
}

async function judge(): Promise<number> {
  const data = temporaryFolder();
  const documents = await startDocumentHost();
  const server = await startServer(data, documents.settings);
  const person = await startAgreeingPerson(server);
  const end = async (): Promise<void> => {
    await Promise.all([person.close(), server.stop(), documents.close()]);
    removeFolder(data);
  };
  onInterrupt(end);
  print(`${PROGRAM} ${versionOf(REFEREES, PROGRAM)}`);
  let passed = 0;
  try {
    for (const flow of FLOWS) {
      const verdict = await run(flow, { url: `${server.url}/mcp`, person: person.address, documents });
      for (const line of linesOf(flow, verdict)) print(line);
      if (verdict.passed) passed += 1;
    }
  } finally {
    await end();
  }
  print(`${passed} of ${FLOWS.length} flows passed`);
  return passed === FLOWS.length ? 0 : 1;
}

interface Place {
  readonly url: string;
  readonly person: string;
  readonly documents: DocumentHost;
}

async function run({ revision, strategy }: Flow, { url, person, documents }: Place): Promise<Verdict> {
  const path = '/referee.json';
  const document = documents.serve(path, { client_name: 'Referee', redirect_uris: [REDIRECT] });
  const known = strategy === 'cimd' ? [document] : [];
  const args = [join(REFEREES.folder, 'mcpjam.mjs'), url, revision, strategy, ...known];
  const env = { ...process.env, ...documents.settings, PERSON: person, REDIRECT };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const late = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  clearTimeout(late);
  return verdictIn(stdout, stderr);
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
