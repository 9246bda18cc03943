import { parseArgs } from 'node:util';

/** A server that runs already, and what it takes to write to it and to read from it. */
export interface Remote {
  readonly url: URL;
  readonly token: string;
  readonly secret: string;
}

/** What one run was asked to do. */
export interface Options {
  /** Corrections measured on each target, after warm-up. */
  readonly n: number;
  readonly json: boolean;
  /** The subject that the corrected facts belong to. */
  readonly subject: string;
  /** The server to measure; null starts one, with the floor beside it. */
  readonly remote: Remote | null;
}

export type Asked =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const USAGE = `Usage: npm run bench [-- --n 200] [--json]
       npm run bench -- --url URL --token TOKEN --secret SECRET [--subject ID]
       npm run bench -- mechanism [--chain 100000] [--json]
       npm run bench -- serving [--only LIST] [--quick] [--strict] [--no-peers] [--json]
       npm run bench -- reading|streams|fan-out|resume|start [--quick] [--strict] [--json]

Measures how long it takes from sending a correction until a subscribed client holds the new value, in both
eras of the protocol, and prints p50, p95 and p99.

Without --url it starts Unsay on a folder of its own and measures in the same run, interleaved, what the
machine allows at best: a loop of the same shape on plain node:http in memory, and a bare SQLite commit
(WAL, synchronous=FULL) of the rows that one publication writes. Unsay is then given as a ratio to the two.

\`mechanism\` measures what a publication, a reader and a replay cost without a server, each against its target.
\`serving\` measures the running server beside plain node:http and other servers, each figure against its target;
\`reading\` and the others are its parts.

  --n COUNT       corrections measured on each target, after warm-up (200)
  --json          one JSON object instead of the table; all times in it are milliseconds
  --url URL       measure this server instead of starting one; the floor is left out
  --token TOKEN   a token with care.read.user for the subject (or UNSAY_BENCH_TOKEN)
  --secret SECRET the server's UNSAY_WRITE_SECRET (or that variable)
  --subject ID    the subject whose topics bench_modern and bench_legacy are written (ray)

Exits 0 when every correction was held within the speech window, 1 when one missed it or the run failed,
2 when it was called wrongly. A ratio above its target is said and changes nothing.
`;

/** Reads the command line. Credentials may come from the environment, where other users cannot see them. */
export function readOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Asked {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  let values: ReturnType<typeof parse>;
  const parse = () =>
    parseArgs({
      args: [...args],
      options: { n: text, url: text, token: text, secret: text, subject: text, json: flag, help: flag },
    }).values;
  try {
    values = parse();
  } catch (error) {
    return wrong((error as Error).message);
  }
  if (values.help) return { kind: 'help' };
  const { n = '200', subject = 'ray', json = false } = values;
  if (!/^[1-9]\d{0,4}$/.test(n)) return wrong('--n must be a whole number from 1 to 99999.');
  if (!/^[a-z0-9][a-z0-9_-]{0,63}$/.test(subject)) return wrong('--subject must be the id of a subject.');
  const common = { n: Number(n), json, subject };
  if (values.url === undefined) {
    const stray = (['token', 'secret', 'subject'] as const).find((name) => values[name] !== undefined);
    if (stray !== undefined) return wrong(`--${stray} goes with --url.`);
    return { kind: 'run', options: { ...common, remote: null } };
  }
  const token = values.token ?? env.UNSAY_BENCH_TOKEN;
  const secret = values.secret ?? env.UNSAY_WRITE_SECRET;
  if (!URL.canParse(values.url) || !/^https?:$/.test(new URL(values.url).protocol))
    return wrong('--url must be an address like http://localhost:8787.');
  if (!token) return wrong('--url needs --token or UNSAY_BENCH_TOKEN.');
  if (!secret) return wrong('--url needs --secret or UNSAY_WRITE_SECRET.');
  return { kind: 'run', options: { ...common, remote: { url: new URL(values.url), token, secret } } };
}

function wrong(message: string): Asked {
  return { kind: 'wrong', message };
}
