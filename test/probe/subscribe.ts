/** `npm run probe:subscribe`: which capabilities clients and a server negotiated. `--help` says more. */
import { parseArgs } from 'node:util';
import { onInterrupt } from '../harness/on-interrupt.ts';
import { removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { NEGOTIATORS, type Negotiation, type Target, textOf } from './negotiation.ts';

const USAGE = `Usage: npm run probe:subscribe [-- --json]
       npm run probe:subscribe -- --url URL --token TOKEN [--uri URI] [--json]

Connects the official client in both eras and the old SDK to an Unsay server of its own, or to the one at URL, and
records what each side said that it can, the revision they settled on, and how a subscription was taken.

  --url URL      the server's address; without a path, /mcp is meant
  --token TOKEN  a token for it (or UNSAY_TOKEN)
  --uri URI      the resource to subscribe to (care://ray/wound)
  --json         one JSON array instead of the table

Exits 0 when every client negotiated, 1 when one could not, 2 when it was called wrongly.
`;

type Asked =
  | { readonly kind: 'run'; readonly json: boolean; readonly uri: string; readonly remote: Remote | null }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

interface Remote {
  readonly url: string;
  readonly token: string;
}

process.exitCode = await main(read(process.argv.slice(2)));

async function main(asked: Asked): Promise<number> {
  if (asked.kind === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  if (asked.kind === 'wrong') {
    process.stderr.write(`${asked.message}\n\n${USAGE}`);
    return 2;
  }
  if (asked.remote !== null) return negotiateWith({ ...asked.remote, uri: asked.uri }, asked.json);
  const data = temporaryFolder();
  const starting = startServer(data);
  const clear = async (): Promise<void> => {
    await starting.then(
      (server) => server.stop(),
      () => {},
    );
    removeFolder(data);
  };
  onInterrupt(clear);
  try {
    const server = await starting;
    const token = await server.mint('care.read.user');
    return await negotiateWith({ url: `${server.url}/mcp`, token, uri: asked.uri }, asked.json);
  } finally {
    await clear();
  }
}

async function negotiateWith(target: Target, json: boolean): Promise<number> {
  const found: Negotiation[] = [];
  let failed = 0;
  for (const [name, negotiate] of Object.entries(NEGOTIATORS)) {
    try {
      found.push(await negotiate(target));
    } catch (error) {
      failed += 1;
      process.stderr.write(`${name}: ${error instanceof Error ? error.message : String(error)}\n`);
    }
  }
  process.stdout.write(json ? `${JSON.stringify(found)}\n` : textOf(found));
  return failed === 0 ? 0 : 1;
}

function read(args: readonly string[]): Asked {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const parse = () =>
    parseArgs({
      args: [...args],
      options: { url: text, token: text, uri: text, json: flag, help: { ...flag, short: 'h' } },
    }).values;
  let values: ReturnType<typeof parse>;
  try {
    values = parse();
  } catch (error) {
    return { kind: 'wrong', message: (error as Error).message };
  }
  const { url, token = process.env.UNSAY_TOKEN, uri = 'care://ray/wound', json = false } = values;
  if (values.help) return { kind: 'help' };
  if (url === undefined) {
    if (values.token !== undefined) return { kind: 'wrong', message: '--token goes with --url.' };
    return { kind: 'run', json, uri, remote: null };
  }
  if (!URL.canParse(url))
    return { kind: 'wrong', message: '--url must be an address like http://localhost:8787.' };
  if (!token) return { kind: 'wrong', message: '--url needs --token or UNSAY_TOKEN.' };
  const address = new URL(url);
  if (address.pathname === '/') address.pathname = '/mcp';
  return { kind: 'run', json, uri, remote: { url: address.href, token } };
}
