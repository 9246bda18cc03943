import { resolve } from 'node:path';
import { restoreFolder } from '../backup/restore-folder.ts';
import { isServed } from '../control/control-client.ts';
import { explained, type OperationResult, refusal } from '../operations/operation.ts';
import { type Command, type Invocation, word } from './command.ts';
import { hasStore, operate, printStream, report } from './operate.ts';
import { inWords } from './verify-command.ts';

const IN_CLEAR = 'in clear, private identities and internal facts included';

/** Commands that fill a store, take it elsewhere and bring it back. */
export const COPY_COMMANDS: Readonly<Record<string, Command>> = {
  seed: {
    usage: 'seed',
    what: 'write the demonstration plan into an empty store; where it is already, nothing changes',
    words: 0,
    options: {},
    async run(invocation) {
      const result = await operate(invocation, 'seed', {}, true);
      return report(invocation, result, ({ seeded, facts }) =>
        seeded
          ? `Seeded: the demonstration plan, ${facts} facts, is in ${invocation.settings.data}.`
          : `Nothing to do: the demonstration plan is in ${invocation.settings.data} already.`,
      );
    },
  },
  export: {
    usage: 'export',
    what: `print the whole store as lines of JSON, ${IN_CLEAR}; for the operator only`,
    words: 0,
    options: {},
    async run(invocation) {
      if (process.stdout.isTTY) process.stderr.write(`This is everything, ${IN_CLEAR}.\n`);
      return await printStream(invocation, 'export');
    },
  },
  import: {
    usage: 'import FILE',
    what: 'verify an export and write it into an empty store; run it again to finish one that was killed',
    words: 1,
    options: {},
    async run(invocation) {
      const file = resolve(word(invocation, 0, 'FILE'));
      // A file that is refused must not leave a new folder behind.
      const checked = hasStore(invocation) ? null : await explained(() => check(file));
      if (checked?.ok === false) return report(invocation, checked, () => '');
      const imported = await operate(invocation, 'import', { file }, true);
      if (!imported.ok) return report(invocation, imported, () => '');
      return await verifyCopy(invocation, 'imported');
    },
  },
  backup: {
    usage: 'backup TARGET [--without-keys]',
    what: 'copy store and keys into a new folder, also while the server runs; keep it as safe as the data folder',
    words: 1,
    options: { 'without-keys': false },
    async run(invocation) {
      const target = resolve(word(invocation, 0, 'TARGET'));
      const keys = invocation.options['without-keys'] !== true;
      const result = await operate(invocation, 'backup', { target, keys });
      return report(invocation, result, (data) => backupText(data));
    },
  },
  restore: {
    usage: 'restore SOURCE',
    what: 'put a backup into an empty data folder, and verify what is then there',
    words: 1,
    options: {},
    async run(invocation) {
      const source = resolve(word(invocation, 0, 'SOURCE'));
      const { data } = invocation.settings;
      if (await isServed(data)) {
        const next = 'Stop it, and restore into a new folder with --data.';
        return report(invocation, refusal(`A server runs on ${data}.`, next), () => '');
      }
      const restored = restoreFolder(source, data);
      if (!restored.ok) return report(invocation, restored, () => '');
      return await verifyCopy(invocation, 'restored');
    },
  },
};

/** What was copied counts as there once it was verified there. */
async function verifyCopy(invocation: Invocation, done: string): Promise<number> {
  const verified = await operate(invocation, 'verify', {});
  return report(invocation, verified, (data) => `${done}: ${inWords(data)}`);
}

function backupText({ target, keys }: Readonly<Record<string, unknown>>): string {
  const names = keys as readonly string[];
  return names.length === 0
    ? `${target} holds the store and no keys. What they sealed or signed needs them: keep those elsewhere.`
    : `${target} holds the store and its KEYS (${names.join(', ')}). Whoever has it can read everything and\n` +
        'sign in as anyone. Secrets that were given as settings are not in it.';
}

async function check(file: string): Promise<OperationResult> {
  const { checkImport } = await import('../export/import-file.ts');
  return checkImport(file);
}
