import type { Database } from '../database/database.ts';
import type { Actor } from '../posts/parts.ts';

/** One attempt to change a post. Every member is of a closed list, a label, a slug or a commit: no text of a request. */
export interface AuditRow {
  /** ISO 8601, UTC. */
  readonly at: string;
  readonly role: Actor['role'];
  readonly label: string;
  readonly operation: string;
  /** Null where what was sent is no slug. */
  readonly slug: string | null;
  /** `done`, or the code of the refusal. */
  readonly outcome: string;
  readonly commit: string | null;
}

/** Adds a row. */
export async function appendAudit(database: Database, row: AuditRow): Promise<void> {
  const { at, role, label, operation, slug, outcome, commit } = row;
  await database
    .prepare(
      'INSERT INTO audit (at, role, label, operation, slug, outcome, commit_id) VALUES (?, ?, ?, ?, ?, ?, ?)',
    )
    .bind(at, role, label, operation, slug, outcome, commit)
    .run();
}

/** The newest rows, oldest first. */
export async function readAudit(database: Database, limit: number): Promise<readonly AuditRow[]> {
  const { results } = await database
    .prepare(
      `SELECT at, role, label, operation, slug, outcome, commit_id AS "commit" FROM
       (SELECT * FROM audit ORDER BY number DESC LIMIT ?) ORDER BY number`,
    )
    .bind(limit)
    .all<AuditRow>();
  return results;
}
