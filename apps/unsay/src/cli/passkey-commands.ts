import { asTyped } from '../settings/as-typed.ts';
import { type Command, option, UsageError, word } from './command.ts';
import { operate, report } from './operate.ts';

/** Commands over what people sign in with. */
export const PASSKEY_COMMANDS: Readonly<Record<string, Command>> = {
  passkey: {
    usage: 'passkey list --sub NAME | passkey remove ID --sub NAME',
    what: 'list what a person can sign in with, or take away one that was lost',
    words: 2,
    options: { sub: true },
    async run(invocation) {
      const action = word(invocation, 0, 'list or remove');
      const sub = option(invocation, 'sub');
      if (sub === null) throw new UsageError('--sub is needed: the name that the person’s tokens carry.');
      if (action === 'list') {
        const result = await operate(invocation, 'passkey-list', { sub });
        return report(invocation, result, ({ passkeys }) => (passkeys as Listed[]).map(lineOf).join('\n'));
      }
      if (action !== 'remove') throw new UsageError('passkey is followed by list or remove.');
      const result = await operate(invocation, 'passkey-remove', { sub, id: word(invocation, 1, 'ID') });
      return report(invocation, result, ({ id, left }) => {
        const next = `${asTyped(`subject revoke --sub ${sub} --subject "*"`)} ends what was let in with it.`;
        return `removed ${id}; ${left} left. ${next}`;
      });
    },
  },
};

/** A passkey as it is listed. */
interface Listed {
  readonly id: string;
  readonly label: string;
  readonly addedAt: string;
}

function lineOf({ id, label, addedAt }: Listed): string {
  return `${id}  ${label}  since ${addedAt}`;
}
