/** What listeners were given and heard. SCHEMA.md says what each table is for. */
export const ledgerMigration = `
CREATE TABLE texts (
  subject TEXT NOT NULL REFERENCES data_keys (subject),
  text_index BLOB NOT NULL,
  audience TEXT NOT NULL,
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL,
  PRIMARY KEY (subject, text_index)
) STRICT, WITHOUT ROWID;

CREATE TABLE sentences (
  subject TEXT NOT NULL,
  listener_index BLOB NOT NULL,
  topic_index BLOB NOT NULL,
  version INTEGER NOT NULL CHECK (version >= 1),
  takes_back INTEGER NOT NULL CHECK (takes_back >= 0),
  text_index BLOB NOT NULL,
  audience TEXT NOT NULL,
  standing INTEGER NOT NULL CHECK (standing IN (0, 1)),
  key_id TEXT NOT NULL,
  nonce BLOB NOT NULL,
  tag BLOB NOT NULL,
  commitment BLOB NOT NULL,
  ciphertext BLOB NOT NULL,
  PRIMARY KEY (subject, listener_index, topic_index, version, takes_back, text_index),
  FOREIGN KEY (subject, topic_index, version) REFERENCES versions (subject, topic_index, version)
) STRICT, WITHOUT ROWID;

CREATE INDEX sentences_standing ON sentences (listener_index, subject, audience) WHERE standing = 1;
`;
