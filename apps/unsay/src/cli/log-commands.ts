import type { Command } from './command.ts';
import { operate, printNews, report } from './operate.ts';

/** Commands that show what was done, and what is being done. */
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
  watch: {
    usage: 'watch',
    what: 'print each correction and its retraction as it lands on the running server, until Ctrl-C',
    words: 0,
    options: {},
    run: (invocation) =>
      printNews(invocation, 'watch', (line) => {
        const news = JSON.parse(line) as Row;
        if (news.watching !== undefined) {
          process.stderr.write('Watching for corrections. Ctrl-C ends this.\n');
          return null;
        }
        if (invocation.options.json) return line;
        const { writtenAt, uri, version, previousVersion, retraction } = news;
        return `${writtenAt}  ${uri}  v${previousVersion} → v${version}\n    ${retraction}`;
      }),
  },
};

type Row = Readonly<Record<string, string | number | null>>;

function auditLine({ at, outcome, reason, via, actor, uri, count }: Row): string {
  const times = count === 1 ? '' : ` ×${count}`;
  return `${at}  ${outcome}${reason === null ? '' : ` ${reason}`}${times}  ${via}  ${actor ?? '-'}  ${uri ?? '-'}`;
}
