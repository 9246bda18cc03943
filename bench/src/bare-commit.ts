/**
 * The floor of durability, a process of its own: one SQLite transaction with the rows of one publication, and
 * nothing of what a server does to arrive at them. It works on a store that Unsay made, so tables, indexes and
 * the size of every cell are those of a real publication.
 */
import { randomBytes } from 'node:crypto';
import { fdatasyncSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** What the process does when it is told to; it answers with the milliseconds that it took. */
export type Task = 'commit' | 'fsync';

type Row = Record<string, SQLInputValue>;

const [, , file = ''] = process.argv;
const db = new DatabaseSync(file, { enableForeignKeyConstraints: true });
db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');

const tasks: Readonly<Record<Task, () => number>> = { commit: commits(), fsync: fsyncs() };
process.on('message', (task: Task) => process.send?.(tasks[task]()));
process.once('disconnect', () => process.exit());
process.send?.('ready');

function commits(): () => number {
  const last = (table: string, order: string): Row => {
    const row = db.prepare(`SELECT * FROM ${table} ORDER BY ${order} DESC LIMIT 1`).get();
    if (row === undefined) throw new Error(`the store that Unsay left has no row in ${table}`);
    return row;
  };
  const version = last('versions', 'position');
  const journal = last('journal', 'position');
  const audit = last('audit', 'row_index');
  const nonce = last('nonces', 'id');
  const { subject, topic_index = null, audience, written_at = null } = version;

  const insert = (table: string, row: Row) => {
    const names = Object.keys(row);
    const cells = names.map((name) => `:${name}`);
    return db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${cells.join(', ')})`);
  };
  const statements = {
    fact: db.prepare(`
      UPDATE facts SET head_version = :version, head_hash = :hash
      WHERE subject = :subject AND topic_index = :topic_index`),
    lane: db.prepare(`
      UPDATE lanes SET ordinal = :ordinal, written_at = :written_at WHERE subject = :subject AND audience = :audience`),
    version: insert('versions', version),
    journal: insert('journal', journal),
    audit: insert('audit', audit),
    nonce: insert('nonces', nonce),
  };

  let count = 0;
  return () => {
    count += 1;
    const next = (row: Row, column: string): number => Number(row[column]) + count;
    const number = next(version, 'version');
    const position = next(version, 'position');
    const ordinal = next(version, 'lane_ordinal');
    const hash = randomBytes(32).toString('hex');
    const rows = {
      fact: { version: number, hash, subject: subject ?? null, topic_index },
      lane: { ordinal, written_at, subject: subject ?? null, audience: audience ?? null },
      version: { ...version, position, version: number, lane_ordinal: ordinal, version_hash: hash },
      journal: { ...journal, position, version: number },
      audit: { ...audit, row_index: next(audit, 'row_index') },
      nonce: { ...nonce, id: randomBytes(32).toString('hex') },
    };
    const begun = performance.now();
    db.exec('BEGIN IMMEDIATE');
    statements.audit.run(rows.audit);
    statements.nonce.run(rows.nonce);
    statements.fact.run(rows.fact);
    statements.lane.run(rows.lane);
    statements.version.run(rows.version);
    statements.journal.run(rows.journal);
    db.exec('COMMIT');
    return performance.now() - begun;
  };
}

/** The disk alone: 4 KiB of a file written over and made durable, which is the least that any commit can do. */
function fsyncs(): () => number {
  const descriptor = openSync(join(dirname(file), 'fsync'), 'w', 0o600);
  const page = Buffer.alloc(4096, 1);
  writeSync(descriptor, page, 0, page.length, 0);
  fsyncSync(descriptor);
  return () => {
    const begun = performance.now();
    writeSync(descriptor, page, 0, page.length, 0);
    fdatasyncSync(descriptor);
    return performance.now() - begun;
  };
}
