import { createHash } from 'node:crypto';
import type { Database } from '../database/database.ts';
import { tagOf } from '../posts/commit-message.ts';
import type { Actor } from '../posts/parts.ts';

/** A token as it is known after it was made: never its bytes. */
export interface TokenRecord extends Actor {
  /** How commits name it. */
  readonly tag: string;
  /** ISO 8601, UTC. */
  readonly createdAt: string;
  readonly revokedAt: string | null;
}

/** Whether a token was made. The token itself is given once, here. */
export type AddedToken =
  | { readonly kind: 'added'; readonly token: string; readonly record: TokenRecord }
  | { readonly kind: 'refused'; readonly reason: string };

/** The tokens of Press. Of each only a SHA-256 is stored, which is enough to know it again and too little to use it. */
export interface Tokens {
  add(role: Actor['role'], label: string): Promise<AddedToken>;
  list(): Promise<readonly TokenRecord[]>;
  /** Ends the token of a label. False when there is none. */
  revoke(label: string): Promise<boolean>;
  /** Who a token belongs to; null for one that does not count, or does not in this role. */
  verify(token: string, role: Actor['role']): Promise<Actor | null>;
}

interface Row {
  readonly role: Actor['role'];
  readonly label: string;
  readonly created_at: string;
  readonly revoked_at: string | null;
}

// Labels stand in commits, trailers and logs: nothing in one may end a line or look like a part of those.
const LABEL = /^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/;

/** The tokens in a database. `draw` gives bytes that nobody can guess. */
export function createTokens(
  database: Database,
  { now, draw }: { readonly now: () => number; readonly draw: (length: number) => Uint8Array },
): Tokens {
  const time = (): string => new Date(now()).toISOString();
  const list = async (): Promise<readonly TokenRecord[]> => {
    const { results } = await database
      .prepare('SELECT role, label, created_at, revoked_at FROM tokens ORDER BY created_at, label')
      .all<Row>();
    return results.map(({ role, label, created_at, revoked_at }) => {
      return { role, label, tag: tagOf({ role, label }), createdAt: created_at, revokedAt: revoked_at };
    });
  };
  return {
    list,

    async add(role, label) {
      if (!LABEL.test(label))
        return {
          kind: 'refused',
          reason:
            'A label has lower-case letters, digits, dots, hyphens and underscores, 40 at most, and starts and ends with a letter or digit.',
        };
      const known = await list();
      if (known.some((each) => each.label === label && each.revokedAt === null))
        return {
          kind: 'refused',
          reason: `There is a token ${label} already. Revoke it first, or choose another label.`,
        };
      const tag = tagOf({ role, label });
      if (known.some((each) => each.tag === tag && each.label !== label))
        return {
          kind: 'refused',
          reason: 'Commits could not tell this label from another. Choose another label.',
        };
      const token = `press_${Buffer.from(draw(32)).toString('base64url')}`;
      const createdAt = time();
      await database
        .prepare('INSERT INTO tokens (hash, label, role, created_at) VALUES (?, ?, ?, ?)')
        .bind(hashOf(token), label, role, createdAt)
        .run();
      return { kind: 'added', token, record: { role, label, tag, createdAt, revokedAt: null } };
    },

    async revoke(label) {
      const { meta } = await database
        .prepare('UPDATE tokens SET revoked_at = ? WHERE label = ? AND revoked_at IS NULL')
        .bind(time(), label)
        .run();
      return meta.changes > 0;
    },

    async verify(token, role) {
      const row = await database
        .prepare('SELECT role, label FROM tokens WHERE hash = ? AND revoked_at IS NULL')
        .bind(hashOf(token))
        .first<Row>();
      return row?.role === role ? { role, label: row.label } : null;
    },
  };
}

function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}
