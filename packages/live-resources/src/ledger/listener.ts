import type { Principal } from '../principal.ts';

/** Names an enrolled listener. */
export type ListenerId = string & { readonly __brand: 'ListenerId' };

/** A device or client that says facts to a person, bound to whom it was enrolled for. */
export interface Listener {
  readonly id: ListenerId;
  /** Whose credential speaks for it. */
  readonly sub: string;
  /** The client that the credential was given to. */
  readonly clientId: string;
}

const LISTENER_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Parses a listener's id, or null. */
export function parseListenerId(text: string): ListenerId | null {
  return LISTENER_ID.test(text) ? (text as ListenerId) : null;
}

/** Whether this caller is the listener: its own subject and its own client, both. */
export function speaksFor(principal: Principal, { sub, clientId }: Listener): boolean {
  return principal.sub === sub && principal.clientId === clientId;
}
