import { CodeFlow } from './code-flow.ts';
import { codeInFragment, Pairing } from './pairing.ts';
import { isCopyOfTab } from './tab-copy.ts';

/** How people sign in on a page. */
export interface PageClient {
  readonly clientId: string;
  readonly scope: string;
}

/** What an authorization server puts into the address of a page (RFC 6749, RFC 9207). */
const ANSWER = ['code', 'error', 'error_description', 'iss', 'state'];

/**
 * The pairing of a page on which people also sign in, with every code taken out of the address before anything else can
 * see it.
 */
export function signInOf(key: string, client: PageClient): Pairing {
  const code = codeInFragment(location.hash);
  const asked = new URLSearchParams(location.search);
  const returned = asked.has('state') && (asked.has('code') || asked.has('error')) ? asked : null;
  const page = new URL(location.pathname, location.origin);
  const isAnswer = ANSWER.some((name) => asked.has(name));
  if (isAnswer) history.replaceState(null, '', page.pathname);
  else if (location.hash !== '') history.replaceState(null, '', location.pathname + location.search);
  const send: typeof fetch = (input, init) => fetch(input, init);
  const go = (address: string): void => location.assign(address);
  const now = (): number => Date.now();
  const isCopy = isCopyOfTab(`${key}.tab`, { storage: sessionStorage, locks: navigator.locks });
  const flow = new CodeFlow({ ...client, page, storage: sessionStorage, send, now, go, isCopy });
  return new Pairing({ storage: sessionStorage, key, code, send, flow, returned });
}
