import type { Database } from './database.ts';

/**
 * What each version of the schema adds. Never edit one that was released: add another.
 *
 * Posts are a copy of what the repository holds, and can be made anew from it; tokens and the audit are here alone.
 */
const MIGRATIONS: readonly (readonly string[])[] = [
  [
    `CREATE TABLE posts (
      slug TEXT PRIMARY KEY,
      revision TEXT NOT NULL,
      entry_blob TEXT NOT NULL,
      status TEXT NOT NULL CHECK (status IN ('draft', 'published')),
      title TEXT NOT NULL,
      date TEXT NOT NULL,
      sorted_at INTEGER NOT NULL,
      entry TEXT NOT NULL,
      html TEXT NOT NULL
    )`,
    'CREATE INDEX posts_in_order ON posts (status, sorted_at DESC, slug)',
    // Requests that were carried out, so that a retry is answered and not carried out again.
    `CREATE TABLE requests (
      id TEXT PRIMARY KEY,
      fingerprint TEXT NOT NULL,
      commit_id TEXT NOT NULL
    )`,
    // Up to which commit each of the copies goes: names `database` and `index`.
    'CREATE TABLE heads (name TEXT PRIMARY KEY, commit_id TEXT NOT NULL)',
    "INSERT INTO heads VALUES ('database', ''), ('index', '')",
    'CREATE VIRTUAL TABLE search USING fts5(slug UNINDEXED, title, summary, body)',
    'CREATE TABLE indexed (slug TEXT PRIMARY KEY, entry_blob TEXT NOT NULL)',
    `CREATE TABLE tokens (
      hash TEXT PRIMARY KEY,
      label TEXT NOT NULL,
      role TEXT NOT NULL CHECK (role IN ('operator', 'admin')),
      created_at TEXT NOT NULL,
      revoked_at TEXT
    )`,
    'CREATE UNIQUE INDEX one_token_a_label ON tokens (label) WHERE revoked_at IS NULL',
    `CREATE TABLE audit (
      number INTEGER PRIMARY KEY AUTOINCREMENT,
      at TEXT NOT NULL,
      role TEXT NOT NULL,
      label TEXT NOT NULL,
      operation TEXT NOT NULL,
      slug TEXT,
      outcome TEXT NOT NULL,
      commit_id TEXT
    )`,
  ],
];

/** Why a database cannot be used by this release. */
export class NewerSchema extends Error {
  override readonly name = 'NewerSchema';
}

/**
 * Brings the schema up to date, each version in one batch.
 *
 * @throws NewerSchema when a later release of Press has used the database.
 */
export async function migrate(database: Database): Promise<void> {
  await database.prepare('CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY)').run();
  const row = await database
    .prepare('SELECT coalesce(max(version), 0) AS version FROM schema_version')
    .first<{ version: number }>();
  const version = row?.version ?? 0;
  if (version > MIGRATIONS.length)
    throw new NewerSchema(
      'The database was used by a later release of Press. Use that release, or another data folder.',
    );
  for (const [index, statements] of MIGRATIONS.entries()) {
    if (index < version) continue;
    // Of two that start at once, one is too late: its insert, which comes first, fails before anything is done.
    await database
      .batch([
        database.prepare('INSERT INTO schema_version VALUES (?)').bind(index + 1),
        ...statements.map((sql) => database.prepare(sql)),
      ])
      .catch(async (error: unknown) => {
        const now = await database
          .prepare('SELECT max(version) AS version FROM schema_version')
          .first<{ version: number }>();
        if ((now?.version ?? 0) <= index) throw error;
      });
  }
}
