/** What a file in the repository holds, or null where it is taken away. */
export type FileChange = string | null;

/** A commit that is to be made. */
export interface CommitDraft {
  /** The commit that it follows. When that is no longer the newest, nothing happens. */
  readonly parent: string;
  /** Files by path, UTF-8. */
  readonly files: ReadonlyMap<string, FileChange>;
  readonly message: string;
  /** Who acted: a label, which is not an address. */
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** Whether a commit was made. */
export type CommitOutcome =
  | { readonly kind: 'committed'; readonly commit: string }
  /** Another commit came first. */
  | { readonly kind: 'stale' };

/** A commit as it stands in the history. */
export interface CommitRecord {
  readonly commit: string;
  readonly author: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Without the line feed at its end. */
  readonly message: string;
}

/** Which commits a question about the history is about: those that `until` has and `since` has not, newest first. */
export interface LogRange {
  readonly until: string;
  readonly since?: string;
  /** Only commits that changed this file. */
  readonly path?: string;
  readonly limit: number;
}

/**
 * A git repository with one branch. Everything that Press asks of git is here, so that the same rules can stand on a
 * local repository and on an API for git data.
 *
 * Concurrency: `commit` compares and swaps. Of any number of drafts with the same parent, in any number of
 * processes, at most one is committed; all others get `stale` and leave no trace on the branch. A commit that was
 * answered is on the disk. One that was not answered may have happened: look at the head.
 */
export interface Repository {
  /** The newest commit. */
  head(): Promise<string>;
  /** Every file of a commit: its path, and the id of its content (the git blob). */
  tree(commit: string): Promise<ReadonlyMap<string, string>>;
  /** Contents by blob id; ids that are not there are left out. Text, in UTF-8. */
  read(blobs: readonly string[]): Promise<ReadonlyMap<string, string>>;
  commit(draft: CommitDraft): Promise<CommitOutcome>;
  log(range: LogRange): Promise<readonly CommitRecord[]>;
  /** The id of a file as it was in a commit, or null. */
  blobAt(commit: string, path: string): Promise<string | null>;
}

/** git failed for a reason outside Press; the message says what an admin does. */
export class RepositoryError extends Error {
  override readonly name = 'RepositoryError';
}
