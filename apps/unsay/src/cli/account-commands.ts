import { type Command, option, UsageError, word } from './command.ts';
import { operate, report } from './operate.ts';

/** Commands over the people who may sign in. */
export const ACCOUNT_COMMANDS: Readonly<Record<string, Command>> = {
  subject: {
    usage:
      'subject grant --sub NAME --subject ID [--scope "SCOPE …"] [--name "Their name"] | subject revoke --sub NAME [--subject ID] [--scope "SCOPE …"] | subject list',
    what: 'let a person who signs in act for a subject, take it back (open streams end at once), or list who may what',
    words: 1,
    options: { sub: true, subject: true, scope: true, name: true },
    async run(invocation) {
      const action = word(invocation, 0, 'grant, revoke or list');
      if (action === 'list') {
        const result = await operate(invocation, 'subject-list', {});
        return report(invocation, result, ({ accounts }) => (accounts as Granted[]).map(lineOf).join('\n'));
      }
      if (action !== 'grant' && action !== 'revoke')
        throw new UsageError('subject is followed by grant, revoke or list.');
      const sub = option(invocation, 'sub');
      if (sub === null) throw new UsageError('--sub is needed: the name that the person’s tokens carry.');
      const result = await operate(invocation, `subject-${action}`, {
        sub,
        subjects: (option(invocation, 'subject') ?? '').split(/[ ,]+/).filter(Boolean),
        scopes: (option(invocation, 'scope') ?? '').split(' ').filter(Boolean),
        name: option(invocation, 'name'),
      });
      return report(invocation, result, (data) => lineOf(data as unknown as Granted));
    },
  },
};

/** What a person may do, as it is shown. */
interface Granted {
  readonly sub: string;
  readonly name: string;
  readonly scopes: readonly string[];
  readonly subjects: readonly string[];
}

function lineOf({ sub, name, scopes, subjects }: Granted): string {
  const rights = subjects.length === 0 ? 'nothing' : `${scopes.join(' ')} for ${subjects.join(', ')}`;
  return `${sub} (${name}): ${rights}`;
}
