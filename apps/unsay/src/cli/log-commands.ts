import type { Command } from './command.ts';
import { operate, report } from './operate.ts';

/** Commands that show what was done. */
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
};

type Row = Readonly<Record<string, string | number | null>>;

function auditLine({ at, outcome, reason, via, actor, uri, count }: Row): string {
  const times = count === 1 ? '' : ` ×${count}`;
  return `${at}  ${outcome}${reason === null ? '' : ` ${reason}`}${times}  ${via}  ${actor ?? '-'}  ${uri ?? '-'}`;
}
