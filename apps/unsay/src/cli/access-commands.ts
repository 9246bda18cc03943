import { type Command, option, UsageError, word } from './command.ts';
import { operate, report } from './operate.ts';

/** Commands that give access and take it back. */
export const ACCESS_COMMANDS: Readonly<Record<string, Command>> = {
  token: {
    usage:
      'token mint --sub NAME --scope "SCOPE …" --subject ID [--ttl SECONDS] [--client NAME] | token revoke TOKEN | token rotate-key',
    what: 'make an access token and print it, end one, or make a new key that signs them from the next start on',
    words: 2,
    options: { sub: true, scope: true, subject: true, ttl: true, client: true },
    async run(invocation) {
      const action = word(invocation, 0, 'mint, revoke or rotate-key');
      if (action === 'revoke') {
        const result = await operate(invocation, 'token-revoke', { token: word(invocation, 1, 'TOKEN') });
        return report(invocation, result, () => 'revoked');
      }
      if (action === 'rotate-key') {
        const result = await operate(invocation, 'token-rotate-key', {});
        const inWords = ({ keyId, older }: Readonly<Record<string, unknown>>): string =>
          `${keyId} signs tokens from the next start on; ${older} older keys still count`;
        return report(invocation, result, inWords);
      }
      if (action !== 'mint') throw new UsageError('token is followed by mint, revoke or rotate-key.');
      const subject = option(invocation, 'subject');
      if (subject === null)
        throw new UsageError('--subject is needed: an id, several separated by commas, or *.');
      const ttl = option(invocation, 'ttl');
      const result = await operate(invocation, 'token-mint', {
        sub: option(invocation, 'sub'),
        scope: option(invocation, 'scope'),
        clientId: option(invocation, 'client'),
        subjects: subject.split(/[ ,]+/).filter(Boolean),
        ...(ttl === null ? {} : { ttlSeconds: Number(ttl) }),
      });
      return report(invocation, result, ({ token }) => String(token));
    },
  },
  pair: {
    usage: 'pair device|console|landing',
    what: 'print a fresh one-time address of a page of the running server',
    words: 1,
    options: {},
    async run(invocation) {
      const result = await operate(invocation, 'pair', {
        page: word(invocation, 0, 'device, console or landing'),
      });
      return report(invocation, result, ({ address }) => String(address));
    },
  },
};
