import { migrateDatabase } from '../main.ts';
import { refusal } from '../operations/operation.ts';
import type { Command } from './command.ts';
import { report } from './operate.ts';

/** `unsay migrate`: what a release changes in a database, before a server of that release is started on it. */
export const MIGRATE_COMMAND: Command = {
  usage: 'migrate [--dry-run]',
  what: 'run the migrations that the database lacks, or with --dry-run only name them; a start runs them too',
  words: 0,
  options: { 'dry-run': false },
  async run(invocation) {
    const { databaseUrl } = invocation.settings;
    if (databaseUrl === null) {
      const next = 'A store in a data folder is migrated when it is opened: make a backup, then start.';
      return report(invocation, refusal('There is no database to migrate.', next), () => '');
    }
    const dryRun = invocation.options['dry-run'] === true;
    const migrations = await migrateDatabase(databaseUrl, { dryRun });
    return report(invocation, { ok: true, data: { dryRun, migrations } }, () =>
      migrations.length === 0
        ? 'The database lacks none.'
        : `${dryRun ? 'would run' : 'ran'} ${migrations.join(', ')}`,
    );
  },
};
