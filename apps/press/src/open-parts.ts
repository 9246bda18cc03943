import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { migrate } from './database/migrations.ts';
import { openSqliteDatabase } from './database/sqlite-database.ts';
import { type GitHubOptions, gitHubRepository } from './git/github-repository.ts';
import { openLocalRepository } from './git/local-repository.ts';
import { bringUpToDate } from './posts/bring-up-to-date.ts';
import { FIRST_FILES, migrateRepository } from './posts/open-posts.ts';
import type { Parts } from './posts/parts.ts';
import { createTurns } from './posts/turns.ts';

/** Everything that Press keeps, opened, and how to let go of it. */
export interface OpenParts extends Parts {
  close(): void;
}

/** The repository of a data folder, where it is not on GitHub. */
export const LOCAL_REPOSITORY = 'posts.git';
const DATABASE = 'press.db';

/** Whether a folder is one of Press's. */
export function isBegun(folder: string): boolean {
  return [DATABASE, LOCAL_REPOSITORY].some((name) => existsSync(join(folder, name)));
}

/**
 * Opens a data folder, making what is missing in it: the database, and a bare repository unless posts are on GitHub.
 * Several processes may have it open.
 */
export async function openParts(
  folder: string,
  now: () => number,
  gitHub: GitHubOptions | null = null,
): Promise<OpenParts> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const repository =
    gitHub === null
      ? await openLocalRepository(join(folder, LOCAL_REPOSITORY), {
          files: FIRST_FILES,
          message: 'Begin [press]\n',
          at: now(),
        })
      : gitHubRepository(gitHub);
  const migrated = await migrateRepository(repository, now);
  const file = join(folder, DATABASE);
  const database = openSqliteDatabase(file);
  try {
    chmodSync(file, 0o600);
    await migrate(database);
    // A repository that had posts before it had a database is read in once; after that nothing is, unasked.
    const mark = await database
      .prepare("SELECT commit_id FROM heads WHERE name = 'database'")
      .first<{ commit_id: string }>();
    if (migrated === 'migrated' || mark?.commit_id === '') await bringUpToDate({ repository, database });
  } catch (error) {
    database.close();
    throw error;
  }
  return { repository, database, now, inTurn: createTurns(), close: () => database.close() };
}
