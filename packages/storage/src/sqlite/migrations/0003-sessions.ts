/** Sessions of clients that keep one. SCHEMA.md says what the table is for. */
export const sessionsMigration = `
CREATE TABLE sessions (
  id_index BLOB PRIMARY KEY,
  used_at TEXT NOT NULL,
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_use ON sessions (used_at);
`;
