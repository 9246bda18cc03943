/** The tables of the first release. SCHEMA.md says what each is for. */
export const firstMigration = `
CREATE TABLE facts (
  uri TEXT PRIMARY KEY,
  subject TEXT NOT NULL,
  topic TEXT NOT NULL,
  audience TEXT NOT NULL,
  head_version INTEGER NOT NULL CHECK (head_version >= 1),
  head_hash TEXT NOT NULL,
  UNIQUE (subject, topic)
) STRICT, WITHOUT ROWID;

CREATE TABLE versions (
  position INTEGER PRIMARY KEY CHECK (position >= 1),
  uri TEXT NOT NULL REFERENCES facts (uri),
  version INTEGER NOT NULL CHECK (version >= 1),
  subject TEXT NOT NULL,
  topic TEXT NOT NULL,
  audience TEXT NOT NULL,
  lane_ordinal INTEGER NOT NULL CHECK (lane_ordinal >= 1),
  kind TEXT NOT NULL CHECK (kind IN ('create', 'revise', 'withdraw')),
  written_at TEXT NOT NULL,
  stale_after TEXT,
  prev_hash TEXT,
  version_hash TEXT NOT NULL,
  uri_salt BLOB NOT NULL CHECK (length(uri_salt) = 32),
  value_salt BLOB CHECK (length(value_salt) = 32),
  author_salt BLOB NOT NULL CHECK (length(author_salt) = 32),
  label_salt BLOB NOT NULL CHECK (length(label_salt) = 32),
  attestation_salt BLOB CHECK (length(attestation_salt) = 32),
  blob_salt BLOB CHECK (length(blob_salt) = 32),
  author_id BLOB NOT NULL,
  author_label BLOB NOT NULL,
  attestation BLOB,
  value BLOB,
  blob_media_type BLOB,
  blob_bytes BLOB,
  UNIQUE (uri, version),
  UNIQUE (subject, audience, lane_ordinal)
) STRICT;

CREATE INDEX versions_by_time ON versions (subject, audience, written_at, lane_ordinal);

CREATE INDEX versions_withdrawn ON versions (uri, version) WHERE kind = 'withdraw';

CREATE TABLE lanes (
  subject TEXT NOT NULL,
  audience TEXT NOT NULL,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 1),
  written_at TEXT NOT NULL,
  PRIMARY KEY (subject, audience)
) STRICT, WITHOUT ROWID;

CREATE TABLE journal (
  position INTEGER PRIMARY KEY CHECK (position >= 1),
  uri TEXT NOT NULL,
  version INTEGER NOT NULL,
  subject TEXT NOT NULL,
  audience TEXT NOT NULL,
  kind TEXT NOT NULL,
  written_at TEXT NOT NULL,
  quiet INTEGER NOT NULL CHECK (quiet IN (0, 1)),
  FOREIGN KEY (uri, version) REFERENCES versions (uri, version)
) STRICT;

CREATE TABLE audit (
  row_index INTEGER PRIMARY KEY CHECK (row_index >= 0),
  at TEXT NOT NULL,
  actor BLOB,
  uri TEXT,
  outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'refused')),
  reason TEXT,
  via TEXT NOT NULL,
  attempts INTEGER NOT NULL CHECK (attempts >= 1),
  prev_hash TEXT,
  hash TEXT NOT NULL
) STRICT;

CREATE TABLE audit_counts (
  id INTEGER PRIMARY KEY,
  at TEXT NOT NULL,
  actor BLOB,
  uri TEXT,
  outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'refused')),
  reason TEXT,
  via TEXT NOT NULL,
  attempts INTEGER NOT NULL CHECK (attempts >= 1)
) STRICT;

CREATE INDEX audit_counts_by_time ON audit_counts (at);

CREATE TABLE nonces (
  id TEXT PRIMARY KEY,
  expires_at TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX nonces_by_expiry ON nonces (expires_at);

CREATE TABLE answered_requests (
  id TEXT PRIMARY KEY,
  request_hash TEXT NOT NULL,
  subject TEXT NOT NULL,
  topic TEXT NOT NULL,
  version INTEGER NOT NULL,
  expires_at TEXT NOT NULL
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
