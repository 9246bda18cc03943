/** Something that the authorization server keeps: a code, a grant, a refresh token, a session, a client. */
export interface OAuthRecord {
  /** As JSON. */
  readonly content: Readonly<Record<string, unknown>>;
  /** The grant that it belongs to and ends with. */
  readonly grantId: string | undefined;
  /** A second name that it is found by. */
  readonly uid: string | undefined;
  /** Epoch seconds; it is not found from then on. Undefined for what does not end by itself. */
  readonly expiresAt: number | undefined;
}

export interface KeptOAuthRecord extends OAuthRecord {
  /** Epoch seconds of its first use; undefined for one that was not used up. */
  readonly consumedAt: number | undefined;
}

/**
 * Where the authorization server keeps what it must not forget. `kind` is a model's name (`RefreshToken`), and ids are
 * secrets: a store must not give them away to whoever reads its file. What a method promised survives any crash.
 */
export interface OAuthRecordStore {
  /** Keeps a record in the place of the one of its kind and id, if there is one; then it is not used up. */
  save(kind: string, id: string, record: OAuthRecord): Promise<void>;
  find(kind: string, id: string): Promise<KeptOAuthRecord | undefined>;
  findByUid(kind: string, uid: string): Promise<KeptOAuthRecord | undefined>;
  /** Marks it used up at `at` (epoch seconds) and tells whether it was this call that did: the first time stays. */
  consume(kind: string, id: string, at: number): Promise<boolean>;
  remove(kind: string, id: string): Promise<void>;
  /** Removes all records of a kind that belong to the grant. */
  removeByGrant(kind: string, grantId: string): Promise<void>;
  /** How many records of a kind there are, ended ones not counted. */
  count(kind: string): Promise<number>;
  /** Removes the `limit` oldest records of a kind, by when they were first saved. */
  removeOldest(kind: string, limit: number): Promise<void>;
}
