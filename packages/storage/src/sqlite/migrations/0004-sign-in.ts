/** What sign-in keeps. SCHEMA.md says what each table is for. */
export const signInMigration = `
CREATE TABLE oauth_records (
  kind TEXT NOT NULL,
  id_index BLOB NOT NULL,
  uid_index BLOB,
  grant_index BLOB,
  saved_at TEXT NOT NULL,
  expires_at INTEGER,
  consumed_at INTEGER,
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL,
  PRIMARY KEY (kind, id_index)
) STRICT, WITHOUT ROWID;

CREATE INDEX oauth_records_by_uid ON oauth_records (kind, uid_index) WHERE uid_index IS NOT NULL;
CREATE INDEX oauth_records_by_grant ON oauth_records (kind, grant_index) WHERE grant_index IS NOT NULL;
CREATE INDEX oauth_records_by_age ON oauth_records (kind, saved_at);
CREATE INDEX oauth_records_by_end ON oauth_records (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE accounts (
  id_index BLOB PRIMARY KEY,
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE passkeys (
  id_index BLOB PRIMARY KEY,
  account_index BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX passkeys_by_account ON passkeys (account_index, created_at);

CREATE TABLE listeners (
  id_index BLOB PRIMARY KEY,
  client_index BLOB NOT NULL UNIQUE,
  enrolled_at INTEGER NOT NULL,
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE one_time_ids (
  id_index BLOB PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX one_time_ids_by_end ON one_time_ids (expires_at);
`;
