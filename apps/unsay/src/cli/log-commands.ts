import { type Command, EXIT } from './command.ts';
import { operate, report } from './operate.ts';

/** Commands that show what was done and that it still stands. */
export const LOG_COMMANDS: Readonly<Record<string, Command>> = {
  audit: {
    usage: 'audit',
    what: 'print every attempt to write, oldest first',
    words: 0,
    options: {},
    async run(invocation) {
      const result = await operate(invocation, 'audit', {});
      return report(invocation, result, ({ rows, counted }) =>
        [...(rows as Row[]), ...(counted as Row[])].map(auditLine).join('\n'),
      );
    },
  },
  verify: {
    usage: 'verify',
    what: 'replay every chain of the store; exit 1 when one is not intact',
    words: 0,
    options: {},
    async run(invocation) {
      const result = await operate(invocation, 'verify', {});
      return report(invocation, result, ({ chains, versions, broken }) => {
        const faults = (broken as Row[]).map(({ uri, version }) => `broken: ${uri} at version ${version}`);
        return [
          ...faults,
          `${chains} chains, ${versions} versions, ${faults.length === 0 ? 'intact' : 'NOT intact'}`,
        ].join('\n');
      });
    },
  },
  export: {
    usage: 'export',
    what: 'print every version as a line of JSON',
    words: 0,
    options: {},
    async run(invocation) {
      const { ok, data } = await operate(invocation, 'export', {});
      for (const line of (data.lines ?? []) as unknown[]) process.stdout.write(`${JSON.stringify(line)}\n`);
      return ok ? EXIT.success : EXIT.no;
    },
  },
};

type Row = Readonly<Record<string, string | number | null>>;

function auditLine({ at, outcome, reason, via, actor, uri, count }: Row): string {
  const times = count === 1 ? '' : ` ×${count}`;
  return `${at}  ${outcome}${reason === null ? '' : ` ${reason}`}${times}  ${via}  ${actor ?? '-'}  ${uri ?? '-'}`;
}
