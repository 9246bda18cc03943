import type { interactionPolicy } from 'oidc-provider';

/**
 * A person signs in each time and, except for the server's own pages, consents each time. A remembered sign-in would
 * let whoever finds the browser in as the person before; a remembered consent would go to whoever claims to be the
 * same client, which a public client cannot prove.
 */
export function createInteractionPolicy(
  { Check, Prompt }: typeof interactionPolicy,
  isFirstParty: (clientId: string) => boolean,
): interactionPolicy.Prompt[] {
  const signIn = new Check('sign_in', 'the person has to sign in', ({ oidc }) =>
    oidc.result?.login === undefined || oidc.account === undefined
      ? Check.REQUEST_PROMPT
      : Check.NO_NEED_TO_PROMPT,
  );
  const consent = new Check('consent', 'the person has to consent', ({ oidc }) =>
    oidc.result?.consent === undefined && !isFirstParty(oidc.client?.clientId ?? '')
      ? Check.REQUEST_PROMPT
      : Check.NO_NEED_TO_PROMPT,
  );
  return [
    new Prompt({ name: 'login', requestable: true }, signIn),
    new Prompt({ name: 'consent', requestable: true }, consent),
  ];
}
