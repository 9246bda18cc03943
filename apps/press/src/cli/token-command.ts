import type { TokenRecord } from '../access/tokens.ts';
import { type Command, EXIT, type Invocation, UsageError, withPress, word } from './command.ts';

/** Tokens: made, listed, ended. */
export const TOKEN_COMMAND: Command = {
  usage: 'token add LABEL [--admin] | token list | token revoke LABEL',
  what: 'Makes a token for an operator and prints it, this once; with --admin one for the admin page. Lists or ends tokens.',
  words: 2,
  options: { admin: false },
  begins: true,
  run(invocation) {
    switch (word(invocation, 0, 'add, list or revoke')) {
      case 'add':
        return add(invocation);
      case 'list':
        return list(invocation);
      case 'revoke':
        return revoke(invocation);
      default:
        throw new UsageError('A token is added, listed or revoked.');
    }
  },
};

function add(invocation: Invocation): Promise<number> {
  const { options, print, complain } = invocation;
  const label = word(invocation, 1, 'LABEL');
  return withPress(invocation, async ({ tokens }) => {
    const added = await tokens.add(options.admin === true ? 'admin' : 'operator', label);
    if (added.kind === 'refused') {
      complain(added.reason);
      return EXIT.no;
    }
    print(options.json === true ? JSON.stringify({ token: added.token, ...added.record }) : added.token);
    return EXIT.success;
  });
}

function list(invocation: Invocation): Promise<number> {
  const { options, print } = invocation;
  return withPress(invocation, async ({ tokens }) => {
    const records = await tokens.list();
    if (options.json === true) print(JSON.stringify({ tokens: records }));
    else if (records.length === 0) print('There are no tokens. Make one with: press token add LABEL');
    else for (const record of records) print(lineOf(record));
    return EXIT.success;
  });
}

function revoke(invocation: Invocation): Promise<number> {
  const { options, print, complain } = invocation;
  const label = word(invocation, 1, 'LABEL');
  return withPress(invocation, async ({ tokens }) => {
    const revoked = await tokens.revoke(label);
    if (options.json === true) print(JSON.stringify({ revoked }));
    else if (revoked) print(`The token ${label} is ended.`);
    else complain(`There is no token ${JSON.stringify(label)}. See them with press token list.`);
    return revoked ? EXIT.success : EXIT.no;
  });
}

function lineOf({ label, role, tag, createdAt, revokedAt }: TokenRecord): string {
  return `${label}  ${role}  ${tag}  made ${createdAt}${revokedAt === null ? '' : `, ended ${revokedAt}`}`;
}
