import { parseArgs } from 'node:util';
import { NewerSchema } from '../database/migrations.ts';
import { RepositoryError } from '../git/repository.ts';
import { isBegun } from '../open-parts.ts';
import { type Machine, openPress } from '../open-press.ts';
import { NewerFormat } from '../posts/open-posts.ts';
import {
  flagOf,
  readSettings,
  SETTINGS,
  SettingError,
  type SettingRow,
  type Settings,
} from '../settings/settings.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { POST_COMMANDS } from './post-commands.ts';
import { SERVE_COMMAND } from './serve-command.ts';
import { TOKEN_COMMAND } from './token-command.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  serve: SERVE_COMMAND,
  ...POST_COMMANDS,
  token: TOKEN_COMMAND,
};

/** Where a command line prints. */
export interface Output {
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** Runs a command line and gives its exit code. Whatever goes wrong is one sentence. */
export async function runCommandLine(
  args: readonly string[],
  machine: Machine,
  output: Output,
): Promise<number> {
  let settings: Settings | undefined;
  try {
    const { command, name, values, positionals } = read(args);
    if (name === 'help' || values.help === true) {
      output.print(
        command === undefined ? overview() : `press ${command.usage}\n\n${command.what}\n\n${settingsHelp()}`,
      );
      return EXIT.success;
    }
    if (command === undefined) throw new UsageError(`There is no command ${name}.`);
    const extra = positionals[command.words];
    if (extra !== undefined) throw new UsageError(`${extra} is one word too many.`);
    const effective = readSettings(values as Record<string, string | undefined>, process.env);
    settings = effective;
    const open = async () => {
      // A mistyped folder must not become a new and empty one.
      if (!command.begins && !isBegun(effective.data))
        throw new SettingError(
          `There is no Press in ${effective.data}. Start it there once with press serve, or choose another with --data.`,
        );
      return openPress(effective.data, machine, effective.github && { ...effective.github, fetch });
    };
    return await command.run({ words: positionals, options: values, settings, open, ...output });
  } catch (error) {
    return explain(error, settings, output);
  }
}

function read(args: readonly string[]) {
  const rows: readonly SettingRow[] = Object.values(SETTINGS);
  const [first = 'serve'] = args;
  const named = !first.startsWith('-');
  const name = named ? first : first === '--help' || first === '-h' ? 'help' : 'serve';
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  const own = Object.entries(command?.options ?? {});
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = Object.fromEntries([
    ...rows.map((row) => [flagOf(row), text] as const),
    ...own.map(([option, valued]) => [option, valued ? text : flag] as const),
  ]);
  try {
    const { values, positionals } = parseArgs({
      args: args.slice(named ? 1 : 0),
      options: { ...options, json: flag, help: { ...flag, short: 'h' } },
      allowPositionals: true,
    });
    return { command, name, values: values as Record<string, string | boolean | undefined>, positionals };
  } catch (error) {
    throw new UsageError(`${(error as Error).message.split(/\.\s|\n/)[0]}.`);
  }
}

function overview(): string {
  const lines = Object.values(COMMANDS).map(({ usage, what }) => `  press ${usage}\n      ${what}`);
  return `Press publishes posts that agents write. From a clone, press is written: npm run --silent press --\n\n${lines.join('\n')}\n\nEvery command takes --json and --help.\n\n${settingsHelp()}`;
}

function settingsHelp(): string {
  const lines = Object.values<SettingRow>(SETTINGS).map((row) => {
    return `  --${flagOf(row)} (${row.env})\n      ${row.what}${row.fallback === '' ? '' : ` [${row.fallback}]`}`;
  });
  return `Settings, each a flag or an environment variable:\n${lines.join('\n')}`;
}

const SAYS_ENOUGH = [SettingError, RepositoryError, NewerSchema, NewerFormat];

function explain(error: unknown, settings: Settings | undefined, { complain }: Output): number {
  if (error instanceof UsageError) {
    complain(`${error.message} See press help.`);
    return EXIT.usage;
  }
  complain(
    SAYS_ENOUGH.some((known) => error instanceof known)
      ? (error as Error).message
      : sentenceFor(error, settings),
  );
  return EXIT.no;
}

function sentenceFor(error: unknown, settings: Settings | undefined): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'EADDRINUSE') return `Port ${settings?.port} is in use. Choose another with --port.`;
  if (code === 'EADDRNOTAVAIL')
    return `${settings?.host} is no address of this machine. Choose another with --host.`;
  if (code === 'EACCES' && error instanceof Error && 'syscall' in error && error.syscall === 'listen')
    return `Port ${settings?.port} may not be opened. Choose one above 1023 with --port.`;
  if (['EACCES', 'EEXIST', 'ENOTDIR', 'EPERM', 'EROFS', 'ENOENT', 'ERR_SQLITE_ERROR'].includes(code))
    return `The folder ${settings?.data} cannot be used. Give this user the right to it, or choose another with --data.`;
  return `Press failed: ${error instanceof Error ? error.message : String(error)}`;
}
