import { type Command, option, UsageError, word } from './command.ts';
import { operate, report } from './operate.ts';

/** Commands over the devices that say facts to a person. */
export const LISTENER_COMMANDS: Readonly<Record<string, Command>> = {
  listener: {
    usage: 'listener add NAME --subject ID [--ttl SECONDS] | listener list | listener revoke ID',
    what: 'enrol a device that says facts of one subject and print its token, list them, or end one with its tokens',
    words: 2,
    options: { subject: true, ttl: true },
    async run(invocation) {
      const action = word(invocation, 0, 'add, list or revoke');
      if (action === 'list') {
        const result = await operate(invocation, 'listener-list', {});
        return report(invocation, result, ({ listeners }) => (listeners as Listed[]).map(lineOf).join('\n'));
      }
      if (action === 'revoke') {
        const result = await operate(invocation, 'listener-revoke', { id: word(invocation, 1, 'ID') });
        return report(invocation, result, ({ id }) => `revoked ${id}`);
      }
      if (action !== 'add') throw new UsageError('listener is followed by add, list or revoke.');
      const ttl = option(invocation, 'ttl');
      const result = await operate(invocation, 'listener-add', {
        name: word(invocation, 1, 'NAME'),
        subject: option(invocation, 'subject'),
        ...(ttl === null ? {} : { ttlSeconds: Number(ttl) }),
      });
      return report(invocation, result, ({ id, token }) => `listener ${id}\ntoken    ${token}`);
    },
  },
};

/** A listener as it is listed. */
interface Listed {
  readonly id: string;
  readonly name: string;
  readonly subject: string;
  readonly enrolledAt: string;
  readonly revokedAt: string | null;
}

function lineOf({ id, name, subject, enrolledAt, revokedAt }: Listed): string {
  return `${id}  ${subject}  ${name}  ${revokedAt === null ? `since ${enrolledAt}` : `revoked ${revokedAt}`}`;
}
