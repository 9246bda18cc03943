import type { FactStore } from '@unsay/live-resources';
import type { KeyRing, Meta, Tables } from '@unsay/storage';
import type { WindowOf } from '../limits/limits.ts';

/** A store that this process has open, whatever the engine. */
export interface OpenStore {
  /** What a person reads of it when the server starts. */
  readonly called: string;
  readonly tables: Tables;
  readonly keys: KeyRing;
  readonly facts: FactStore;
  readonly meta: Meta;
  readonly secrets: Secrets;
  readonly others: OtherServers;
  /** Limits of which all servers of the store count the same; none where there is one server. */
  readonly windowOf?: WindowOf;
  /** Runs `work` while no other server of this store does. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** Writes the store as it is at this moment, whole, into a file that is not there yet. */
  backUp(file: string): void;
  close(): Promise<void>;
}

/** Secrets that every server of a store has. */
export interface Secrets {
  /** The secret of this name; made when there is none. */
  kept(name: string, make: () => string): Promise<string>;
  /** Puts a secret in the place of the one that is there. */
  keep(name: string, text: string): Promise<void>;
}

/** The other servers of the store; on SQLite there are none. */
export interface OtherServers {
  /** Tells them that something is new here, such as a token that was ended. What was published is told anyway. */
  announce(): void;
  /** Has `look` called when something may be new, one call at a time. */
  listen(look: () => Promise<void>, onFault: (error: unknown) => void): Promise<void>;
}
