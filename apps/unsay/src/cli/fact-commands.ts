import { readBlobFile } from './blob-file.ts';
import { type Command, option, UsageError, word } from './command.ts';
import { operate, report } from './operate.ts';

// A mistyped topic makes one, and leaves the wrong words where they are.
const NEW_FACT = 'A new fact: nothing was taken back. If you meant a correction, look at the topic.';

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
      'write URI --value TEXT|--withdraw --author ID [--label TEXT] [--stale-after ISO] ' +
      '[--blob FILE [--media-type TYPE]] [--if-match HASH]',
    what: 'publish a version, or take a fact back, as the system writer of the folder',
    words: 1,
    options: {
      value: true,
      withdraw: false,
      author: true,
      label: true,
      'stale-after': true,
      blob: true,
      'media-type': true,
      'if-match': true,
    },
    async run(invocation) {
      const [value, author] = [option(invocation, 'value'), option(invocation, 'author')];
      const withdraw = invocation.options.withdraw === true;
      if (author === null || withdraw === (value !== null)) {
        throw new UsageError('--author is needed, and either --value or --withdraw.');
      }
      const uri = word(invocation, 0, 'URI');
      const blob = readBlobFile(option(invocation, 'blob'), option(invocation, 'media-type'));
      if (blob !== null && 'ok' in blob) return report(invocation, blob, () => '');
      const result = await operate(invocation, 'write', {
        uri,
        value,
        withdraw,
        author,
        label: option(invocation, 'label'),
        staleAfter: option(invocation, 'stale-after'),
        blob,
        ifMatch: option(invocation, 'if-match'),
      });
      return report(invocation, result, ({ uri: written, version, versionHash }) => {
        const line = `${written} v${version} ${versionHash}`;
        return version === 1 ? `${line}\n${NEW_FACT}` : line;
      });
    },
  },
};
