/**
 * A person who may sign in, and what that person may do. The rights are one set of scopes and one set of subjects:
 * every scope holds for every subject, as it does in a token.
 */
export interface Account {
  /** The `sub` of the person's tokens. */
  readonly id: string;
  /** What the person is called on the pages that ask for consent. */
  readonly name: string;
  readonly scopes: ReadonlySet<string>;
  readonly subjects: ReadonlySet<string> | '*';
  /** Grows whenever a scope or a subject is taken away: tokens that carry a smaller one count no longer. */
  readonly epoch: number;
  /** What was taken away so far. Absent where nothing ever was. */
  readonly lost?: LostRights;
}

/**
 * In which epoch of an account each right was last taken away, by scope and by subject (`*` for all of them). What was
 * consented to in that epoch or before does not come back when the right does.
 */
export interface LostRights {
  readonly scopes: Readonly<Record<string, number>>;
  readonly subjects: Readonly<Record<string, number>>;
}

/** Where accounts are kept. What a method promised survives the death of the process and of the machine. */
export interface AccountStore {
  find(id: string): Promise<Account | undefined>;
  /** All of them, by id. */
  all(): Promise<readonly Account[]>;
  /** Keeps an account in the place of the one of its id, if there is one. */
  save(account: Account): Promise<void>;
  /** Forgets an account with its passkeys; nothing for one that is not there. */
  remove(id: string): Promise<void>;
}
