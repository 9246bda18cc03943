import type { TokenVerifier } from '@unsay/auth/resource-server';
import type { Turns } from './turns.ts';

/** Where the work of one node waits for its turn; nothing of a node that is dead goes on. */
export interface Gate {
  /** `what` is a word for what is about to be done. */
  pass(what: string): Promise<void>;
}

/** The gate of a node. `isDead` is asked when its work arrives: what arrives late never passes. */
export function createGate(turns: Turns, node: object, isDead: () => boolean): Gate {
  return { pass: (what) => (isDead() ? new Promise(() => undefined) : turns.take(node, what)) };
}

/**
 * A store that is reached through a gate, before each call and after it: what was read may be old by the time that
 * it is used, and a node can die that has done the work and answered nobody.
 */
export function gatedStore<Store extends object>(store: Store, { pass }: Gate): Store {
  return aroundEachCall(store, async (call, name) => {
    await pass(name);
    const result = await call();
    await pass(`after ${name}`);
    return result;
  });
}

/** A store of which `around` has every call in its hands, whatever calls there are. */
export function aroundEachCall<Store extends object>(
  store: Store,
  around: (call: () => Promise<unknown>, name: string) => Promise<unknown>,
): Store {
  const calls = Object.entries(store).map(([name, call]) => [
    name,
    (...args: unknown[]) => around(() => (call as (...args: unknown[]) => Promise<unknown>)(...args), name),
  ]);
  return Object.fromEntries(calls) as Store;
}

/** A verifier that is reached through a gate. It checks signatures beside the event loop, one at a time. */
export function gatedVerifier(verifier: TokenVerifier, { pass }: Gate, turns: Turns): TokenVerifier {
  return {
    async verify(authorization) {
      await pass('verify');
      const outcome = await turns.beside(() => verifier.verify(authorization));
      await pass('after verify');
      return outcome;
    },
    isLive: (token) => verifier.isLive(token),
  };
}
