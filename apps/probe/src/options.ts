import { parseArgs } from 'node:util';
import { PHASES, type Phase } from './arrival.ts';

export type Asked =
  | { readonly kind: 'serve'; readonly phase: Phase; readonly port: number; readonly data: string }
  | { readonly kind: 'report' | 'transcripts'; readonly json: boolean; readonly data: string }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const USAGE = `Usage: npm run probe [-- --phase open|auth] [--port 8790] [--data FOLDER]
       npm run probe -- report [--json] [--data FOLDER]
       npm run probe -- transcripts [--data FOLDER]

Serves a small MCP application at http://127.0.0.1:8790/mcp and records how clients behave: their era, the
first method, headers, capabilities, the way through discovery and authorization, and what they try again.

  --phase open    everyone may read (the default)
  --phase auth    a token is needed; the probe offers metadata, registration, consent that asks nobody, and tokens
  --port PORT     8790; 0 is any free port
  --data FOLDER   where the records are kept (./data-probe)

\`report\` says what each client did, also while a probe runs on the folder; \`transcripts\` prints every request of
each client, redacted, as JSON. Secrets are never stored: only known words are, and everything else that a client
sends is replaced by a placeholder before it reaches the disk.

Exits 0 when stopped or when it reported, 1 when it could not, 2 when it was called wrongly.
`;

/** Reads the command line. */
export function readOptions(args: readonly string[]): Asked {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const parse = () =>
    parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { phase: text, port: text, data: text, json: flag, help: { ...flag, short: 'h' } },
    });
  let parsed: ReturnType<typeof parse>;
  try {
    parsed = parse();
  } catch (error) {
    return wrong((error as Error).message);
  }
  const { values, positionals } = parsed;
  if (values.help) return { kind: 'help' };
  const [command, extra] = positionals;
  const { data = 'data-probe', phase = 'open', port = '8790', json = false } = values;
  if (extra !== undefined) return wrong(`${extra} is one word too many.`);
  if (command === 'report' || command === 'transcripts') {
    if (values.phase !== undefined || values.port !== undefined)
      return wrong(`${command} takes neither --phase nor --port.`);
    return { kind: command, json, data };
  }
  if (command !== undefined) return wrong(`There is no command ${command}.`);
  if (json) return wrong('--json goes with report.');
  const known = PHASES.find((each) => each === phase);
  if (known === undefined) return wrong('--phase must be open or auth.');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return wrong('--port must be a number from 0 to 65535.');
  return { kind: 'serve', phase: known, port: Number(port), data };
}

function wrong(message: string): Asked {
  return { kind: 'wrong', message };
}
