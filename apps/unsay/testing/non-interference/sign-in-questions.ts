import { plain } from './asker.ts';
import type { Question } from './questions.ts';

const JSON_BODY = { 'content-type': 'application/json', origin: 'http://localhost:8787' };
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const ASKED = new URLSearchParams({
  client_id: 'nobody',
  response_type: 'code',
  redirect_uri: 'http://127.0.0.1:9/callback',
});

/** Requests whose answer is the same for everyone, whatever there is. */
const REQUESTS: Readonly<
  Record<string, readonly [string, string, Readonly<Record<string, string>>, string]>
> = {
  'the metadata of the authorization server': ['GET', '/.well-known/oauth-authorization-server', {}, ''],
  'its headers': ['HEAD', '/.well-known/oauth-authorization-server', {}, ''],
  'authorize nobody': ['GET', `/authorize?${ASKED}`, {}, ''],
  'change a code that is none': [
    'POST',
    '/token',
    FORM,
    'grant_type=authorization_code&client_id=unsay-console&code=none&code_verifier=none',
  ],
  'revoke as nobody': ['POST', '/revoke', FORM, 'token=none&client_id=nobody'],
  'register nothing': ['POST', '/register', JSON_BODY, '{}'],
  'a sign-in page': ['GET', '/interaction/none', {}, ''],
  'a sign-in page, headers': ['HEAD', '/interaction/none', {}, ''],
  'a sign-in that is not there': ['GET', '/interaction/none/state', {}, ''],
  'a passkey for a sign-in that is not there': [
    'POST',
    '/interaction/none/passkey',
    JSON_BODY,
    '{"response":{}}',
  ],
  'come back from a provider that is not there': ['GET', '/sign-in/callback?state=none', {}, ''],
  'begin a passkey': ['POST', '/passkeys/options', JSON_BODY, '{}'],
  'add a passkey': ['POST', '/passkeys', JSON_BODY, '{"response":{},"label":"mine"}'],
};

/** What is asked of sign-in. A token is sent by whoever has one. */
export const SIGN_IN_QUESTIONS: readonly Question[] = Object.entries(REQUESTS).map(([name, request]) => ({
  name,
  about: 'nothing',
  ask: (asker) => plain(asker, ...request),
}));
