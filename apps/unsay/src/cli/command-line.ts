import { parseArgs } from 'node:util';
import { StorageError } from '@unsay/storage';
import { asTyped } from '../settings/as-typed.ts';
import { SETTINGS, type SettingRow } from '../settings/setting-table.ts';
import { flagOf, readSettings, SettingError } from '../settings/settings.ts';
import { ACCESS_COMMANDS } from './access-commands.ts';
import { ACCOUNT_COMMANDS } from './account-commands.ts';
import { type Command, EXIT, UsageError } from './command.ts';
import { COPY_COMMANDS } from './copy-commands.ts';
import { FACT_COMMANDS } from './fact-commands.ts';
import { LISTENER_COMMANDS } from './listener-commands.ts';
import { LOG_COMMANDS } from './log-commands.ts';
import { MIGRATE_COMMAND } from './migrate-command.ts';
import { PASSKEY_COMMANDS } from './passkey-commands.ts';
import { SERVER_COMMANDS } from './server-commands.ts';
import { VERIFY_COMMAND } from './verify-command.ts';

const COMMANDS: Readonly<Record<string, Command>> = {
  ...SERVER_COMMANDS,
  ...FACT_COMMANDS,
  ...LOG_COMMANDS,
  verify: VERIFY_COMMAND,
  migrate: MIGRATE_COMMAND,
  ...COPY_COMMANDS,
  ...ACCESS_COMMANDS,
  ...ACCOUNT_COMMANDS,
  ...PASSKEY_COMMANDS,
  ...LISTENER_COMMANDS,
};

async function main([name = 'help', ...rest]: readonly string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command === undefined) {
    const asked = ['help', '--help', '-h'].includes(name);
    (asked ? process.stdout : process.stderr).write(
      asked ? overview() : `There is no command ${name}.\n${overview()}`,
    );
    return asked ? EXIT.success : EXIT.usage;
  }
  const { values, positionals } = parse(command, rest);
  const extra = positionals[command.words];
  if (extra !== undefined) throw new UsageError(`${extra} is one word too many.`);
  if (values.help) {
    process.stdout.write(`${asTyped(command.usage)}\n\n${command.what}\n\n${settingsHelp()}`);
    return EXIT.success;
  }
  const flags = Object.fromEntries(
    Object.values<SettingRow>(SETTINGS).map((row) => [
      flagOf(row),
      values[flagOf(row)] as string | undefined,
    ]),
  );
  const settings = readSettings(flags, process.env);
  for (const warning of settings.warnings) process.stderr.write(`${warning}\n`);
  return command.run({ words: positionals, options: values, settings });
}

function parse(
  command: Command,
  args: readonly string[],
): ReturnType<typeof parseArgs> & { values: Record<string, string | boolean | undefined> } {
  const own = Object.entries(command.options).map(([name, valued]) => [
    name,
    { type: valued ? 'string' : 'boolean' },
  ]);
  const settings = Object.values<SettingRow>(SETTINGS).map((row) => [flagOf(row), { type: 'string' }]);
  const common = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } };
  try {
    const options = { ...common, ...Object.fromEntries([...settings, ...own]) };
    return parseArgs({ args: [...args], options, allowPositionals: true }) as ReturnType<typeof parse>;
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function overview(): string {
  const lines = Object.values(COMMANDS).map(({ usage, what }) => `  ${asTyped(usage)}\n      ${what}`);
  return `Unsay takes the sentence back.\n\n${lines.join('\n')}\n\nEvery command takes --json and --help.\n`;
}

function settingsHelp(): string {
  const lines = Object.values<SettingRow>(SETTINGS).map((row) => {
    return `  --${flagOf(row)} (${row.env})\n      ${row.what}${row.fallback === '' ? '' : ` [${row.fallback}]`}`;
  });
  return `Settings, each a flag or an environment variable:\n${lines.join('\n')}\n`;
}

/** What a person is told of an error, and the exit code. A stack trace is for faults of our own only. */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    process.stderr.write(`${error.message} See ${asTyped('help')}.\n`);
    return EXIT.usage;
  }
  if (error instanceof SettingError || error instanceof StorageError)
    process.stderr.write(`${error.message}\n`);
  else process.stderr.write(`Unsay failed: ${error instanceof Error ? error.message : String(error)}\n`);
  return EXIT.no;
}

for (const output of [process.stdout, process.stderr]) {
  // Whoever reads may stop early, as `head` does; what is left then goes nowhere.
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
process.exitCode = await main(process.argv.slice(2)).catch(explain);
