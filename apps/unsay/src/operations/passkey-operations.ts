import { instant } from '@unsay/live-resources';
import { asTyped } from '../settings/as-typed.ts';
import { type Operation, refusal, text } from './operation.ts';

const NOBODY = () => refusal('There is no such person.', `${asTyped('subject list')} shows who there is.`);

/** `unsay passkey list`: what a person can sign in with. */
export const listPasskeys: Operation = async (folder, parameters) => {
  const sub = text(parameters, 'sub') ?? '';
  if ((await folder.accounts.find(sub)) === undefined) return NOBODY();
  const passkeys = (await folder.signIn.passkeys.of(sub)).map(({ id, label, createdAt }) => {
    return { id, label, addedAt: instant(createdAt * 1000) };
  });
  return { ok: true, data: { passkeys } };
};

/** `unsay passkey remove`: nobody signs in with it any more. What was let in with it before goes on. */
export const removePasskey: Operation = async (folder, parameters) => {
  const sub = text(parameters, 'sub') ?? '';
  const id = text(parameters, 'id') ?? '';
  const { passkeys } = folder.signIn;
  // In the account's turn: a sign-in that is under way would put it back.
  const removed = await folder.accounts.hold(sub, async () => {
    const passkey = await passkeys.find(id);
    if (passkey?.accountId !== sub) return null;
    await passkeys.remove(id);
    return passkey;
  });
  if (removed === undefined) return NOBODY();
  if (removed === null)
    return refusal('This person has no such passkey.', `${asTyped('passkey list')} shows the ids.`);
  return { ok: true, data: { id, label: removed.label, left: (await passkeys.of(sub)).length } };
};
