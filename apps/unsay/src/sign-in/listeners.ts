import type { EnrolledListener, ListenerStore } from '@unsay/auth/authorization-server';
import { type RevocationRegistry, revocationKey } from '@unsay/auth/resource-server';
import type { Clock, Randomness } from '@unsay/live-resources';

/** The longest that a token of a listener can be good for, in seconds: a year and a day. */
const LONGEST_TOKEN_SECONDS = 366 * 24 * 60 * 60;
const ID_BYTES = 10;
const CLIENT_PREFIX = 'unsay-device-';

/** Who a listener is in its tokens. */
export interface ListenerIdentity {
  readonly id: string;
  readonly sub: string;
  readonly clientId: string;
}

export interface ListenersOptions {
  readonly store: ListenerStore;
  readonly revocations: RevocationRegistry;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** The devices that say facts to a person. Each has a client id of its own, which its tokens carry and no other's. */
export interface Listeners {
  /** A listener that is not enrolled yet. */
  identity(): ListenerIdentity;
  /** Enrols a listener under a name; it is kept when the promise resolves. */
  enrol(clientId: string, name: string, subject: string): Promise<EnrolledListener>;
  all(): Promise<readonly EnrolledListener[]>;
  /** Ends the listener and every token of it, or null when there is no such listener. */
  revoke(id: string): Promise<EnrolledListener | null>;
}

/** Enrols listeners, and ends them. */
export function createListeners({ store, revocations, clock, randomness }: ListenersOptions): Listeners {
  const now = (): number => Math.floor(clock.now() / 1000);
  return {
    identity() {
      const id = Buffer.from(randomness.bytes('listener', '', ID_BYTES)).toString('hex');
      return { id, sub: `device-${id}`, clientId: `${CLIENT_PREFIX}${id}` };
    },
    async enrol(clientId, name, subject) {
      const id = clientId.slice(CLIENT_PREFIX.length);
      const listener = { id, name, clientId, subject, enrolledAt: now(), revokedAt: undefined };
      await store.save(listener);
      return listener;
    },
    all: () => store.all(),
    async revoke(id) {
      const listener = await store.find(id);
      if (listener === undefined) return null;
      // First the tokens: a crash between the two leaves a listener that can be revoked again.
      await revocations.revokeKey(revocationKey.client(listener.clientId), now() + LONGEST_TOKEN_SECONDS);
      const revoked = { ...listener, revokedAt: listener.revokedAt ?? now() };
      await store.save(revoked);
      return revoked;
    },
  };
}
