import { ALL_SCOPES, SCOPES } from '../domain/care-partition.ts';
import { asTyped } from '../settings/as-typed.ts';
import { type Operation, refusal, text } from './operation.ts';

const HOUR_SECONDS = 3600;

const FAULTS: Readonly<Record<string, string>> = {
  invalid_sub: '--sub must be a name of printable characters.',
  invalid_client_id: '--client must be a name of printable characters.',
  invalid_scope: 'A scope has characters that scopes may not have.',
  invalid_subject: '--subject must be like ray, or * for every subject.',
  invalid_ttl: '--ttl must be whole seconds, from 1 to 31536000.',
  too_large: 'That is too much for one token.',
};

/** `unsay token mint`. */
export const mintToken: Operation = async (folder, parameters) => {
  const scopes = (text(parameters, 'scope') ?? SCOPES.readUser).split(' ').filter(Boolean);
  const unknown = scopes.filter((scope) => !ALL_SCOPES.includes(scope));
  if (unknown.length > 0) {
    return refusal(`There is no scope ${unknown.join(', ')}.`, `Choose from ${ALL_SCOPES.join(', ')}.`);
  }
  const { subjects, ttlSeconds = HOUR_SECONDS } = parameters;
  const sub = text(parameters, 'sub') ?? 'operator';
  const minted = await folder.issuer().mint({
    sub,
    // It ends with the rights of the person whose name it carries.
    accountEpoch: (await folder.accounts.find(sub))?.epoch,
    clientId: text(parameters, 'clientId') ?? 'unsay-cli',
    scopes,
    subjects: Array.isArray(subjects) ? subjects.map(String) : [],
    ttlSeconds: Number(ttlSeconds),
  });
  if (minted.kind === 'refused')
    return refusal(FAULTS[minted.fault] ?? minted.fault, `See ${asTyped('token --help')}.`);
  return { ok: true, data: { token: minted.token, expiresAt: minted.expiresAt, scope: minted.scope } };
};

/** `unsay token rotate-key`: tokens that are out stay good, and what is signed from the next start on has the new key. */
export const rotateTokenKey: Operation = async (folder) => ({
  ok: true,
  data: await folder.rotateSigningKey(),
});

/** `unsay token revoke`: durable before it is answered; open streams of the token end at once. */
export const revokeToken: Operation = async (folder, parameters) => {
  const outcome = await folder.revoker().revoke(text(parameters, 'token') ?? '');
  if (outcome.kind !== 'revoked') {
    return refusal('That is not a token of this server.', 'Give the whole token, as it was printed.');
  }
  folder.hooks.revoked();
  return { ok: true, data: { revoked: true } };
};
