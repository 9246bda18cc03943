import type { Account, AccountChange, AccountFault } from '@unsay/auth/authorization-server';
import { ALL_SCOPES, SCOPES } from '../domain/care-partition.ts';
import { asTyped } from '../settings/as-typed.ts';
import { type Operation, type OperationResult, type Parameters, refusal, text } from './operation.ts';

const FAULTS: Readonly<Record<AccountFault, string>> = {
  invalid_id: '--sub must be a name of printable characters.',
  invalid_name: '--name must be one short line.',
  unknown_scope: `A scope is one of ${ALL_SCOPES.join(', ')}.`,
  invalid_subject: '--subject must be like ray, or * for every subject.',
  too_many_rights: 'That is more than one person’s tokens can carry.',
  one_of_every_subject:
    'This person may act for every subject: take back --subject "*", then grant the others one by one.',
};

/** `unsay subject grant`: what a person who signs in may do; a new person may read what may be spoken. */
export const grantSubject: Operation = async (folder, parameters) => {
  const sub = text(parameters, 'sub') ?? '';
  const subjects = listOf(parameters, 'subjects');
  const given = listOf(parameters, 'scopes');
  if (subjects.length === 0) return refusal('--subject is needed.', 'Name one, like --subject ray.');
  const isNew = (await folder.accounts.find(sub)) === undefined;
  const scopes = given.length === 0 && isNew ? [SCOPES.readUser] : given;
  const name = text(parameters, 'name') ?? undefined;
  return resultOf(await folder.accounts.grant(sub, { scopes, subjects, name }));
};

/** `unsay subject revoke`: durable before it is answered; every token of the person ends at once. */
export const revokeSubject: Operation = async (folder, parameters) => {
  const sub = text(parameters, 'sub') ?? '';
  const subjects = listOf(parameters, 'subjects');
  const scopes = listOf(parameters, 'scopes');
  if (subjects.length === 0 && scopes.length === 0)
    return refusal('Nothing was named to take back.', 'Give --subject, --scope or both.');
  const changed = await folder.accounts.narrow(sub, { scopes, subjects });
  folder.hooks.revoked();
  return resultOf(changed);
};

/** `unsay subject list`: who may sign in, and what for. */
export const listSubjects: Operation = async (folder) => {
  return { ok: true, data: { accounts: (await folder.accounts.all()).map(shown) } };
};

function resultOf(change: AccountChange): OperationResult {
  if (change.kind === 'refused') return refusal(FAULTS[change.fault], `See ${asTyped('subject --help')}.`);
  if (change.kind === 'no_account')
    return refusal('There is no such person.', `${asTyped('subject list')} shows who there is.`);
  return { ok: true, data: shown(change.account) };
}

function shown({ id, name, scopes, subjects }: Account): Readonly<Record<string, unknown>> {
  return {
    sub: id,
    name,
    scopes: [...scopes].sort(),
    subjects: subjects === '*' ? ['*'] : [...subjects].sort(),
  };
}

function listOf(parameters: Parameters, name: string): string[] {
  const value = parameters[name];
  return Array.isArray(value) ? value.map(String) : [];
}
