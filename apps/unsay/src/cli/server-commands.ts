import { serve } from '../main.ts';
import { SETTINGS, type SettingRow } from '../settings/setting-table.ts';
import { type Command, EXIT } from './command.ts';
import { stopSignal } from './stop-signals.ts';

/** Commands about the server itself. */
export const SERVER_COMMANDS: Readonly<Record<string, Command>> = {
  serve: {
    usage: 'serve',
    what: 'run the server until it is stopped',
    words: 0,
    options: {},
    async run({ settings }) {
      // Before anything is printed: whoever reads that it is ready may stop it in that moment.
      const asked = whenToStop();
      const running = await serve(settings, (line) => process.stdout.write(`${line}\n`));
      await asked;
      process.stdout.write('Stopping…\n');
      await running.close();
      process.stdout.write('Stopped.\n');
      // Not by running out of work: Node then lets go of its signal handlers first, and a Ctrl-C that npm passes on
      // in that moment would make this look killed.
      process.exit(EXIT.success);
    },
  },
  config: {
    usage: 'config',
    what: 'print the effective settings and where each comes from',
    words: 0,
    options: {},
    async run({ settings, options }) {
      const rows = Object.entries<SettingRow>(SETTINGS).map(([name, row]) => {
        const { text, origin } = settings.effective[name as keyof typeof SETTINGS];
        return {
          setting: row.env,
          value: row.secret && text !== '' ? '(secret)' : text,
          origin,
          what: row.what,
        };
      });
      const lines = rows.map(
        ({ setting, value, origin, what }) => `${setting.padEnd(28)} ${value || '-'}  (${origin})  ${what}`,
      );
      process.stdout.write(`${options.json ? JSON.stringify({ settings: rows }) : lines.join('\n')}\n`);
      return EXIT.success;
    },
  },
};

// What arrives within this time of a signal is the same one.
const SAME_SIGNAL_MS = 1_000;

function whenToStop(): Promise<void> {
  return stopSignal(
    process,
    (run) => void setTimeout(run, SAME_SIGNAL_MS).unref(),
    () => {
      process.stderr.write('Stopped at once: not every client was told that its stream ends.\n');
      process.exit(EXIT.no);
    },
  );
}
