import type { IncomingMessage } from 'node:http';
import type { AccountStore } from '../account.ts';
import type { Clock } from '../clock.ts';
import type { Randomness } from '../randomness.ts';
import type { RevocationRegistry } from '../resource-server/revocation-registry.ts';
import type { OAuthRecordStore } from './record-store.ts';
import type { SigningKey } from './signing-key.ts';

/** A client of the server's own. It is public, its redirect URIs are exact, and nobody is asked for consent. */
export interface FirstPartyClient {
  readonly clientId: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
}

export interface AuthorizationServerOptions {
  /** The server's public address, without a slash at its end: `iss` of its tokens and answers (RFC 9207). */
  readonly issuer: string;
  /** The one resource that tokens are for (RFC 8707). Default: `${issuer}/mcp`. */
  readonly resource?: string;
  /** What people sign in to, in a few words. */
  readonly resourceName: string;
  readonly scopes: readonly string[];
  /** What a client asks for that names no scope. Default: all of `scopes`. */
  readonly defaultScopes?: readonly string[];
  readonly records: OAuthRecordStore;
  readonly accounts: AccountStore;
  /** The first signs; the others are published beside it, so that what they signed still counts. */
  readonly signingKeys: readonly [SigningKey, ...SigningKey[]];
  /** Secrets, the first of which signs cookies. */
  readonly cookieKeys: readonly string[];
  readonly revocations: RevocationRegistry;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly firstParty: readonly FirstPartyClient[];
  readonly clientDocuments: {
    /** Fetches a client id metadata document; it must refuse what no stranger may make this server fetch. */
    fetch(url: string): Promise<Response>;
  };
  /** Told of what went wrong inside: a store that failed, a defect. Never of what a client did wrong. */
  onFault(fault: unknown): void;
  /**
   * Counts a code, a refresh token or a client's credential that was not accepted. Gives the whole seconds that whoever
   * sent it has to wait, or null when there was room. Default: no limit.
   */
  limitRefused?(req: IncomingMessage): Promise<number | null>;
  /** How long a client may repeat the use of a refresh token whose answer it lost. Default: 10. */
  readonly refreshGraceSeconds?: number;
}
