import type {
  AccountStore,
  Accounts,
  OAuthRecordStore,
  PasskeyStore,
  SigningKey,
  TokenIssuer,
} from '@unsay/auth/authorization-server';
import type { RevocationRegistry, TokenRevoker, TokenVerifier } from '@unsay/auth/resource-server';
import type { Clock, JournalEntry, LiveResources, Principal } from '@unsay/live-resources';
import type { SessionRepository } from '@unsay/mcp';
import type { Meta } from '@unsay/storage';
import type { AuditTrail } from './audit/audit-trail.ts';
import type { WindowOf } from './limits/limits.ts';
import type { OperationResult } from './operations/operation.ts';
import type { Listeners } from './sign-in/listeners.ts';
import type { OtherServers } from './store/open-store.ts';

/** What a running server does when an operation changed something; a stopped one does nothing. */
export interface FolderHooks {
  published(entry: JournalEntry): void;
  revoked(): void;
  pair(page: unknown): Promise<OperationResult>;
  /** Calls `wake` after every publication, whoever published, until what this gives is called. */
  watch(wake: () => void): () => void;
}

/** A data folder that this process owns. */
export interface OpenFolder {
  readonly live: LiveResources;
  readonly meta: Meta;
  /** Where sessions of the older protocol are kept. */
  readonly sessions: SessionRepository;
  readonly clock: Clock;
  /** What a person reads of the store when the server starts. */
  readonly storeName: string;
  /** Who wraps the keys that facts are sealed with, and which of its keys; `none` when they are not sealed. */
  readonly sealedBy: { readonly provider: string; readonly keyId: string };
  /** Where attempts to write are recorded. */
  readonly trail: AuditTrail;
  /** Who owns the folder may read and write everything in it. */
  readonly operator: Principal;
  /** The first signs tokens; the others are older ones whose tokens still count. */
  readonly signingKeys: readonly [SigningKey, ...SigningKey[]];
  /** Makes a new key that signs from the next start on. Gives its id, and how many older ones still count. */
  rotateSigningKey(): Promise<{ readonly keyId: string; readonly older: number }>;
  /** What sign-in stands on. */
  readonly signIn: {
    readonly accounts: AccountStore;
    readonly passkeys: PasskeyStore;
    readonly records: OAuthRecordStore;
    /** Signs the cookies of browsers that sign in. */
    readonly cookieKey: string;
  };
  /** Who may sign in, and what for. */
  readonly accounts: Accounts;
  readonly listeners: Listeners;
  readonly revocations: RevocationRegistry;
  /** Tokens of the address that the server has, or last had. */
  issuer(): TokenIssuer;
  verifier(): TokenVerifier;
  revoker(): TokenRevoker;
  hooks: FolderHooks;
  /** Other servers of the same store. */
  readonly others: OtherServers;
  /** As of the store: see `OpenStore`. */
  readonly windowOf?: WindowOf | undefined;
  /** Runs `work` while no other server of the store does. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  /** A secret of the store, as hex digits; made of so many bytes when there is none. */
  secret(name: string, bytes: number): Promise<string>;
  /** Where it is. */
  readonly path: string;
  /** Writes the store as it is at this moment, whole, into a file that is not there yet. */
  backUp(file: string): void;
  close(): Promise<void>;
}
