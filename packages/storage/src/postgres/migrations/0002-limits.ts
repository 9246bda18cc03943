/**
 * When requests came that still count towards a limit. It is written at every request, and lost when the database
 * crashes: then everybody has all that they may have once more.
 */
export const limitsMigration = `
CREATE UNLOGGED TABLE limit_windows (
  kind text COLLATE "C" NOT NULL,
  key_index bytea NOT NULL,
  times bigint[] NOT NULL,
  was_taken smallint NOT NULL,
  ends_at bigint NOT NULL,
  PRIMARY KEY (kind, key_index)
);

CREATE INDEX limit_windows_by_end ON limit_windows (ends_at);
`;
