import { instant } from '@unsay/live-resources';
import { SCOPES } from '../domain/care-partition.ts';
import type { OpenFolder } from '../open-folder.ts';
import { asTyped } from '../settings/as-typed.ts';
import { type Operation, refusal, text } from './operation.ts';

const HOUR_SECONDS = 3600;
const SUBJECT = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const NAME = /^[^\p{C}\p{Zl}\p{Zp}]{1,64}$/u;

type Enrolled = Awaited<ReturnType<OpenFolder['listeners']['all']>>[number];

/** `unsay listener add`: enrols a device for one subject, and gives it its first token. */
export const addListener: Operation = async (folder, parameters) => {
  const name = text(parameters, 'name') ?? '';
  const subject = text(parameters, 'subject') ?? '';
  if (!NAME.test(name))
    return refusal('A listener’s name is one line of at most 64 characters.', 'Give one.');
  if (!SUBJECT.test(subject))
    return refusal('A listener speaks of one subject.', 'Name it with --subject, like --subject ray.');
  const { ttlSeconds = HOUR_SECONDS } = parameters;
  const { sub, clientId } = folder.listeners.identity();
  const scopes = [SCOPES.readUser, SCOPES.speak];
  const minted = await folder
    .issuer()
    .mint({ sub, clientId, scopes, subjects: [subject], ttlSeconds: Number(ttlSeconds) });
  if (minted.kind === 'refused')
    return refusal('--ttl must be whole seconds, from 1 to 31536000.', `See ${asTyped('listener --help')}.`);
  const listener = await folder.listeners.enrol(clientId, name, subject);
  return { ok: true, data: { ...shown(listener), token: minted.token, expiresAt: minted.expiresAt } };
};

/** `unsay listener list`: every listener that was enrolled, revoked ones too. */
export const listListeners: Operation = async (folder) => {
  return { ok: true, data: { listeners: (await folder.listeners.all()).map(shown) } };
};

/** `unsay listener revoke`: durable before it is answered; open streams of its tokens end at once. */
export const revokeListener: Operation = async (folder, parameters) => {
  const listener = await folder.listeners.revoke(text(parameters, 'id') ?? '');
  if (listener === null) {
    return refusal('There is no such listener.', `${asTyped('listener list')} shows their ids.`);
  }
  folder.hooks.revoked();
  return { ok: true, data: shown(listener) };
};

function shown({
  id,
  name,
  clientId,
  subject,
  enrolledAt,
  revokedAt,
}: Enrolled): Readonly<Record<string, unknown>> {
  const revoked = revokedAt === undefined ? null : instant(revokedAt * 1000);
  return { id, name, clientId, subject, enrolledAt: instant(enrolledAt * 1000), revokedAt: revoked };
}
