import type { FirstPartyClient } from '@unsay/auth/authorization-server';

/** The client ids of the pages' tokens, whether a page was paired or somebody signed in on it. */
export const CONSOLE_CLIENT = 'unsay-console';
const DEVICE_CLIENT = 'unsay-device';
export const LANDING_CLIENT = 'unsay-landing';

/** Whose account the first passkey of a folder is for: whoever has the address that the start prints. */
export const OWNER = 'owner';
export const OWNER_NAME = 'The owner of this server';

/** The pages on which people sign in for themselves. */
export function ownClients(publicUrl: string): readonly FirstPartyClient[] {
  return [
    { clientId: CONSOLE_CLIENT, name: 'Unsay console', redirectUris: [`${publicUrl}/console`] },
    { clientId: DEVICE_CLIENT, name: 'Unsay device', redirectUris: [`${publicUrl}/device`] },
  ];
}
