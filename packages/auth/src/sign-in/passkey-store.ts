/** A passkey that was enrolled for an account. */
export interface Passkey {
  /** The credential id, base64url. */
  readonly id: string;
  readonly accountId: string;
  /** The COSE public key. */
  readonly publicKey: Uint8Array;
  /** The authenticator's signature counter as it was last seen; zero where it has none. */
  readonly counter: number;
  readonly transports: readonly string[];
  /** What the person called it. */
  readonly label: string;
  /** Epoch seconds. */
  readonly createdAt: number;
}

/** Where passkeys are kept. What a method promised survives any crash. */
export interface PasskeyStore {
  find(id: string): Promise<Passkey | undefined>;
  /** The passkeys of an account, oldest first. */
  of(accountId: string): Promise<readonly Passkey[]>;
  /** Keeps a passkey in the place of the one of its id, if there is one. */
  save(passkey: Passkey): Promise<void>;
  remove(id: string): Promise<void>;
}
