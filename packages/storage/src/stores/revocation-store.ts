import { numberOf, textOf } from '../rows/cells.ts';
import type { Tables } from './tables.ts';

/** A token that was revoked before its time. */
export interface RevokedToken {
  /** SHA-256 of the token, so that this table gives no one a token. */
  readonly tokenHash: string;
  /** When the token ends by itself, in seconds since the Unix epoch. */
  readonly expiresAt: number;
}

/** Tokens that were revoked, kept until some time after they would have ended anyway. */
export interface RevocationStore {
  /** Revokes a token; on return it stays revoked through any crash. */
  add(tokenHash: string, expiresAt: number): Promise<void>;
  /** Every revoked token, after dropping those that ended more than a day before `nowSeconds`. */
  all(nowSeconds: number): Promise<Iterable<RevokedToken>>;
}

// A clock may be set back; a token must not come back to life with it.
const REMEMBERED_SECONDS = 24 * 60 * 60;

/** The revoked tokens kept in a database. */
export function createRevocationStore(db: Tables): RevocationStore {
  const upsert = `
    INSERT INTO revoked_tokens (token_hash, expires_at) VALUES (:token_hash, :expires_at)
    ON CONFLICT (token_hash) DO UPDATE SET expires_at = excluded.expires_at
      WHERE excluded.expires_at > revoked_tokens.expires_at`;
  const forget = 'DELETE FROM revoked_tokens WHERE expires_at < :before';
  const select = 'SELECT token_hash, expires_at FROM revoked_tokens ORDER BY token_hash';
  return {
    async add(tokenHash, expiresAt) {
      await db.run({ sql: upsert, cells: { token_hash: tokenHash, expires_at: expiresAt } });
    },
    async all(nowSeconds) {
      await db.run({ sql: forget, cells: { before: nowSeconds - REMEMBERED_SECONDS } });
      return (await db.select(select)).map((row) => ({
        tokenHash: textOf(row.token_hash),
        expiresAt: numberOf(row.expires_at),
      }));
    },
  };
}
