import { type Command, option, UsageError, word } from './command.ts';
import { operate, report } from './operate.ts';

/** Commands that read and write facts. */
export const FACT_COMMANDS: Readonly<Record<string, Command>> = {
  read: {
    usage: 'read URI',
    what: 'print a fact, whatever its audience: who owns the folder reads everything',
    words: 1,
    options: {},
    async run(invocation) {
      const result = await operate(invocation, 'read', { uri: word(invocation, 0, 'URI') });
      return report(invocation, result, ({ text }) => String(text));
    },
  },
  history: {
    usage: 'history URI',
    what: 'print every version of a fact',
    words: 1,
    options: {},
    async run(invocation) {
      const result = await operate(invocation, 'history', { uri: word(invocation, 0, 'URI') });
      return report(invocation, result, ({ versions }) =>
        (versions as Record<string, string>[])
          .map(
            ({ version, writtenAt, author, versionHash, value }) =>
              `v${version}  ${writtenAt}  ${author}\n    ${value ?? '(withdrawn)'}\n    ${versionHash}`,
          )
          .join('\n'),
      );
    },
  },
  write: {
    usage:
      'write URI --value TEXT|--withdraw --author ID [--label TEXT] [--stale-after ISO] [--if-match HASH]',
    what: 'publish a version, or take a fact back, as the system writer of the folder',
    words: 1,
    options: {
      value: true,
      withdraw: false,
      author: true,
      label: true,
      'stale-after': true,
      'if-match': true,
    },
    async run(invocation) {
      const [value, author] = [option(invocation, 'value'), option(invocation, 'author')];
      const withdraw = invocation.options.withdraw === true;
      if (author === null || withdraw === (value !== null)) {
        throw new UsageError('--author is needed, and either --value or --withdraw.');
      }
      const result = await operate(invocation, 'write', {
        uri: word(invocation, 0, 'URI'),
        value,
        withdraw,
        author,
        label: option(invocation, 'label'),
        staleAfter: option(invocation, 'stale-after'),
        ifMatch: option(invocation, 'if-match'),
      });
      return report(
        invocation,
        result,
        ({ uri, version, versionHash }) => `${uri} v${version} ${versionHash}`,
      );
    },
  },
};
