import type { Database } from '../database/database.ts';
import type { Repository } from '../git/repository.ts';
import type { Turns } from './turns.ts';

/** Where posts are kept: the repository, and the database that copies it. */
export interface Stores {
  readonly repository: Repository;
  readonly database: Database;
}

/** What posts are changed with. */
export interface Parts extends Stores {
  readonly inTurn: Turns;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Who acts: which kind of right, and the label of the token that proved it. */
export interface Actor {
  readonly role: 'operator' | 'admin';
  readonly label: string;
}
