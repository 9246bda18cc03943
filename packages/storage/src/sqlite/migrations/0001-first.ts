/** The tables of the first release. SCHEMA.md says what each is for. */
export const firstMigration = `
CREATE TABLE data_keys (
  subject TEXT PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  provider TEXT NOT NULL,
  wrapping_key_id TEXT NOT NULL,
  wrapped BLOB NOT NULL,
  commitment BLOB NOT NULL,
  created_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE facts (
  subject TEXT NOT NULL REFERENCES data_keys (subject),
  topic_index BLOB NOT NULL,
  audience TEXT NOT NULL,
  head_version INTEGER NOT NULL CHECK (head_version >= 1),
  head_hash TEXT NOT NULL,
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL,
  PRIMARY KEY (subject, topic_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE versions (
  position INTEGER PRIMARY KEY CHECK (position >= 1),
  subject TEXT NOT NULL,
  topic_index BLOB NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  audience TEXT NOT NULL,
  lane_ordinal INTEGER NOT NULL CHECK (lane_ordinal >= 1),
  kind TEXT NOT NULL CHECK (kind IN ('create', 'revise', 'withdraw')),
  written_at TEXT NOT NULL,
  stale_after TEXT,
  prev_hash TEXT,
  version_hash TEXT NOT NULL,
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL,
  UNIQUE (subject, topic_index, version),
  UNIQUE (subject, audience, lane_ordinal),
  FOREIGN KEY (subject, topic_index) REFERENCES facts (subject, topic_index)
) STRICT;

CREATE INDEX versions_by_time ON versions (subject, audience, written_at, lane_ordinal);

CREATE INDEX versions_withdrawn ON versions (subject, topic_index, version) WHERE kind = 'withdraw';

CREATE TABLE lanes (
  subject TEXT NOT NULL,
  audience TEXT NOT NULL,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  written_at TEXT NOT NULL,
  PRIMARY KEY (subject, audience)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  position INTEGER PRIMARY KEY CHECK (position >= 1),
  subject TEXT NOT NULL,
  topic_index BLOB NOT NULL,
  version INTEGER NOT NULL,
  audience TEXT NOT NULL,
  kind TEXT NOT NULL,
  written_at TEXT NOT NULL,
  quiet INTEGER NOT NULL CHECK (quiet IN (0, 1)),
  FOREIGN KEY (subject, topic_index, version) REFERENCES versions (subject, topic_index, version)
) STRICT;

CREATE TABLE audit (
  row_index INTEGER PRIMARY KEY CHECK (row_index >= 0),
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL
) STRICT;

CREATE TABLE audit_counts (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  attempt_index BLOB NOT NULL,
  attempts INTEGER NOT NULL CHECK (attempts >= 1),
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL,
  UNIQUE (at, attempt_index)
) STRICT;

CREATE TABLE nonces (
  id TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX nonces_by_expiry ON nonces (expires_at);

CREATE TABLE answered_requests (
  id_index BLOB PRIMARY KEY,
  subject TEXT NOT NULL,
  topic_index BLOB NOT NULL,
  version INTEGER NOT NULL,
  expires_at TEXT NOT NULL,
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX answered_requests_by_expiry ON answered_requests (expires_at);

CREATE TABLE revoked_tokens (
  token_hash TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE meta (
  key TEXT PRIMARY KEY,
  value BLOB NOT NULL
) STRICT, WITHOUT ROWID;
`;
