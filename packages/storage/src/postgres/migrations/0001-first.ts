/** The tables of the first release on PostgreSQL. SCHEMA.md says what each is for. */
export const firstMigration = `
CREATE TABLE schema_migrations (
  version integer PRIMARY KEY CHECK (version >= 1),
  name text NOT NULL,
  run_at text NOT NULL
);

CREATE TABLE data_keys (
  subject text COLLATE "C" PRIMARY KEY,
  id text COLLATE "C" NOT NULL UNIQUE,
  provider text COLLATE "C" NOT NULL,
  wrapping_key_id text COLLATE "C" NOT NULL,
  wrapped bytea NOT NULL,
  commitment bytea NOT NULL,
  created_at text COLLATE "C" NOT NULL
);

CREATE TABLE facts (
  subject text COLLATE "C" NOT NULL REFERENCES data_keys (subject),
  topic_index bytea NOT NULL,
  audience text COLLATE "C" NOT NULL,
  head_version integer NOT NULL CHECK (head_version >= 1),
  head_hash text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL,
  PRIMARY KEY (subject, topic_index)
);

CREATE TABLE versions (
  position bigint PRIMARY KEY CHECK (position >= 1),
  subject text COLLATE "C" NOT NULL,
  topic_index bytea NOT NULL,
  version integer NOT NULL CHECK (version >= 1),
  audience text COLLATE "C" NOT NULL,
  lane_ordinal integer NOT NULL CHECK (lane_ordinal >= 1),
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('create', 'revise', 'withdraw')),
  written_at text COLLATE "C" NOT NULL,
  stale_after text COLLATE "C",
  prev_hash text COLLATE "C",
  version_hash text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL,
  UNIQUE (subject, topic_index, version),
  UNIQUE (subject, audience, lane_ordinal),
  FOREIGN KEY (subject, topic_index) REFERENCES facts (subject, topic_index)
);

CREATE INDEX versions_by_time ON versions (subject, audience, written_at, lane_ordinal);

CREATE INDEX versions_withdrawn ON versions (subject, topic_index, version) WHERE kind = 'withdraw';

CREATE TABLE lanes (
  subject text COLLATE "C" NOT NULL,
  audience text COLLATE "C" NOT NULL,
  ordinal integer NOT NULL CHECK (ordinal >= 1),
  written_at text COLLATE "C" NOT NULL,
  PRIMARY KEY (subject, audience)
);

CREATE TABLE journal (
  position bigint PRIMARY KEY CHECK (position >= 1),
  subject text COLLATE "C" NOT NULL,
  topic_index bytea NOT NULL,
  version integer NOT NULL,
  audience text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  written_at text COLLATE "C" NOT NULL,
  quiet smallint NOT NULL CHECK (quiet IN (0, 1)),
  FOREIGN KEY (subject, topic_index, version) REFERENCES versions (subject, topic_index, version)
);

CREATE TABLE audit (
  row_index bigint PRIMARY KEY CHECK (row_index >= 0),
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL
);

CREATE TABLE audit_counts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at text COLLATE "C" NOT NULL,
  attempt_index bytea NOT NULL,
  attempts bigint NOT NULL CHECK (attempts >= 1),
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL,
  UNIQUE (at, attempt_index)
);

CREATE TABLE nonces (
  id text COLLATE "C" PRIMARY KEY,
  expires_at text COLLATE "C" NOT NULL
);

CREATE INDEX nonces_by_expiry ON nonces (expires_at);

CREATE TABLE answered_requests (
  id_index bytea PRIMARY KEY,
  subject text COLLATE "C" NOT NULL,
  topic_index bytea NOT NULL,
  version integer NOT NULL,
  expires_at text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL
);

CREATE INDEX answered_requests_by_expiry ON answered_requests (expires_at);

CREATE TABLE revoked_tokens (
  token_hash text COLLATE "C" PRIMARY KEY,
  expires_at bigint NOT NULL
);

CREATE TABLE meta (
  key text COLLATE "C" PRIMARY KEY,
  value bytea NOT NULL
);

CREATE TABLE texts (
  subject text COLLATE "C" NOT NULL REFERENCES data_keys (subject),
  text_index bytea NOT NULL,
  audience text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL,
  PRIMARY KEY (subject, text_index)
);

CREATE TABLE sentences (
  subject text COLLATE "C" NOT NULL,
  listener_index bytea NOT NULL,
  topic_index bytea NOT NULL,
  version integer NOT NULL CHECK (version >= 1),
  takes_back integer NOT NULL CHECK (takes_back >= 0),
  text_index bytea NOT NULL,
  audience text COLLATE "C" NOT NULL,
  standing smallint NOT NULL CHECK (standing IN (0, 1)),
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL,
  PRIMARY KEY (subject, listener_index, topic_index, version, takes_back, text_index),
  FOREIGN KEY (subject, topic_index, version) REFERENCES versions (subject, topic_index, version)
);

CREATE INDEX sentences_standing ON sentences (listener_index, subject, audience) WHERE standing = 1;

CREATE TABLE sessions (
  id_index bytea PRIMARY KEY,
  used_at text COLLATE "C" NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL
);

CREATE INDEX sessions_by_use ON sessions (used_at);

CREATE TABLE oauth_records (
  kind text COLLATE "C" NOT NULL,
  id_index bytea NOT NULL,
  uid_index bytea,
  grant_index bytea,
  saved_at text COLLATE "C" NOT NULL,
  expires_at bigint,
  consumed_at bigint,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL,
  PRIMARY KEY (kind, id_index)
);

CREATE INDEX oauth_records_by_uid ON oauth_records (kind, uid_index) WHERE uid_index IS NOT NULL;
CREATE INDEX oauth_records_by_grant ON oauth_records (kind, grant_index) WHERE grant_index IS NOT NULL;
CREATE INDEX oauth_records_by_age ON oauth_records (kind, saved_at);
CREATE INDEX oauth_records_by_end ON oauth_records (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE accounts (
  id_index bytea PRIMARY KEY,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL
);

CREATE TABLE passkeys (
  id_index bytea PRIMARY KEY,
  account_index bytea NOT NULL,
  created_at bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL
);

CREATE INDEX passkeys_by_account ON passkeys (account_index, created_at);

CREATE TABLE listeners (
  id_index bytea PRIMARY KEY,
  client_index bytea NOT NULL UNIQUE,
  enrolled_at bigint NOT NULL,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL
);

CREATE TABLE one_time_ids (
  id_index bytea PRIMARY KEY,
  expires_at bigint NOT NULL
);

CREATE INDEX one_time_ids_by_end ON one_time_ids (expires_at);

CREATE TABLE secrets (
  name text COLLATE "C" PRIMARY KEY,
  key_id text COLLATE "C" NOT NULL,
  nonce bytea NOT NULL,
  tag bytea NOT NULL,
  commitment bytea NOT NULL,
  ciphertext bytea NOT NULL
);

CREATE TABLE journal_head (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  position bigint NOT NULL CHECK (position >= 0)
);

INSERT INTO journal_head (position) VALUES (0);
`;
