import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import {
  createCursorCodec,
  createLiveResources,
  definePartition,
  type FactVersion,
  instant,
  type Nonce,
  parseDraft,
  parseFactUri,
  replayAudit,
  replayChain,
} from '@unsay/live-resources';
import { faultsIn } from '@unsay/live-resources/testing';
import { describe, expect, it } from 'vitest';
import { startChild } from '../../testing/child-process.ts';
import {
  copyFirstRelease,
  type ExpectedVersion,
  type Kept,
  type KeptStore,
} from '../../testing/first-release.ts';
import { randomness, storeOn } from '../../testing/open-sqlite-store.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { createRevocationStore } from '../stores/revocation-store.ts';
import { STORE_FILE } from './data-folder.ts';
import { MIGRATIONS } from './migrate.ts';
import { firstMigration } from './migrations/0001-first.ts';
import { openDatabase } from './open-database.ts';

const KEPT: readonly Kept[] = ['sealed', 'plain'];
const PARTITION = definePartition({
  audiences: [
    { audience: 'user', scheme: 'care', readScope: 'user', speakable: true },
    { audience: 'assistant', scheme: 'care-internal', readScope: 'assistant', speakable: false },
  ],
  writeScope: 'write',
});

/** Version and schema of a store that nobody has open, by a connection that changes nothing. */
function inspect(file: string): { version: unknown; schema: unknown[] } {
  const connection = new DatabaseSync(file, { readOnly: true });
  try {
    const version = connection.prepare('PRAGMA user_version').get()?.user_version;
    const schema = connection.prepare('SELECT type, name, sql FROM sqlite_schema ORDER BY name').all();
    return { version, schema: schema.map((row) => ({ ...row })) };
  } finally {
    connection.close();
  }
}

function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A stored version in the form that the fixture names it in. */
function inWords(version: FactVersion): ExpectedVersion {
  const { blob, audience, kind, laneOrdinal, value, authorId, authorLabel, writtenAt, staleAfter } = version;
  return {
    version: version.version,
    audience,
    kind,
    laneOrdinal,
    value,
    blob: blob && { mediaType: blob.mediaType, length: blob.bytes.length, sha256: sha256(blob.bytes) },
    authorId,
    authorLabel,
    writtenAt,
    staleAfter,
    prevHash: version.prevHash,
    versionHash: version.versionHash,
  };
}

/** Opens the store and finds in it everything that the first release left there. */
async function expectEverything({ path, expected, provider }: KeptStore): Promise<void> {
  const db = openDatabase(path);
  try {
    const store = await storeOn(db, provider);
    const found: unknown[] = [];
    for (const { uri } of expected.chains) {
      const fact = parseFactUri(uri);
      if (fact === null) throw new Error(`${uri} is no fact`);
      const { head, versions } = await store.chain(fact);
      expect([uri, replayChain(versions, head)]).toEqual([uri, { intact: true }]);
      found.push({ uri, versions: versions.map(inWords) });
    }
    expect(found).toEqual(expected.chains);
    expect(await store.journalHead()).toBe(expected.verdict.versions);
    expect(await faultsIn(store)).toEqual([]);
    const everything = { subjects: '*', audiences: PARTITION.rules.map(({ audience }) => audience) } as const;
    const lanes = [...(await store.lanes(everything))].sort((a, b) =>
      `${a.subject}/${a.audience}` < `${b.subject}/${b.audience}` ? -1 : 1,
    );
    expect(lanes).toEqual(expected.lanes);

    const { rows, counted } = await store.audit(0, 1000);
    expect(replayAudit(rows)).toBeNull();
    const refused = rows.filter(({ outcome }) => outcome === 'refused').map(({ reason }) => reason);
    expect({ rows: rows.length, lastHash: rows.at(-1)?.hash, refused }).toEqual(expected.audit);
    expect(counted.map(({ reason, via, count }) => ({ reason, via, count }))).toEqual(expected.counted);

    const { id, requestHash, answer } = expected.answeredRequest;
    const { subject, topic } = parseFactUri(answer.uri) ?? {};
    expect(await store.answered(id)).toEqual({
      requestHash,
      fact: { subject, topic },
      version: answer.version,
    });
    const revoked = [...(await createRevocationStore(db).all(Date.parse(expected.at) / 1000))];
    expect(revoked.map(({ tokenHash }) => tokenHash)).toEqual([expected.tokens.revokedHash]);
  } finally {
    db.close();
  }
}

describe.each(KEPT)('the %s store of the first release', (kept) => {
  it('is brought to the newest version, and has then the schema of a new store', () => {
    using old = copyFirstRelease(kept);
    using fresh = temporaryFolder();
    expect(inspect(old.file).version).toBe(1);
    for (const path of [old.path, fresh.path]) openDatabase(path).close();
    expect(inspect(old.file)).toEqual(inspect(join(fresh.path, STORE_FILE)));
    expect(inspect(old.file).version).toBe(MIGRATIONS.length);
  });

  it('has everything that was in it, also when it is opened again', async () => {
    using old = copyFirstRelease(kept);
    await expectEverything(old);
    await expectEverything(old);
  });

  it('refuses the signatures that were used, and goes on where it stood', async () => {
    using old = copyFirstRelease(kept);
    const { expected } = old;
    const db = openDatabase(old.path);
    const store = await storeOn(db, old.provider);
    const now = Date.parse(expected.at);
    const live = createLiveResources({
      partition: PARTITION,
      store,
      clock: { now: () => now },
      randomness,
      defaultAuthorLabel: 'the team',
      cursors: createCursorCodec(Buffer.alloc(32, 1)),
    });
    const principal = {
      sub: 'system',
      clientId: 'unsay',
      scopes: new Set(['user', 'assistant', 'write']),
      subjects: '*',
    } as const;
    const write = (uri: string, nonce: Nonce | null) => {
      const draft = parseDraft(PARTITION, {
        uri,
        value: 'The next.',
        authorId: 'x',
        authorLabel: null,
        staleAfter: null,
      });
      if (typeof draft === 'string') throw new Error(draft);
      return live.publish(principal, {
        draft,
        ifMatch: null,
        nonce,
        request: null,
        via: 'hmac',
        quiet: false,
      });
    };
    const expiresAt = instant(now + 300_000);
    const { accepted, refused } = expected.usedSignatures;
    for (const { nonce } of [accepted, refused, expected.answeredRequest]) {
      expect(await write('care://ray/wound', { id: nonce, expiresAt })).toMatchObject({ kind: 'replayed' });
    }
    for (const { uri, versions } of expected.chains) {
      const head = versions.at(-1);
      const outcome = await write(uri, { id: sha256(uri), expiresAt });
      const version = { version: (head?.version ?? 0) + 1, prevHash: head?.versionHash };
      expect(outcome).toMatchObject({ kind: 'published', version });
    }
    expect(await faultsIn(store)).toEqual([]);
    db.close();
  });

  // Every migration that was added since the first release, and one that is yet to come.
  it.each(MIGRATIONS.map((_, index) => index + 1))(
    'opens again after a process was killed in the migration that follows version %d',
    async (index) => {
      using old = copyFirstRelease(kept);
      await using child = startChild('./killed-migration.ts', old.file, String(index));
      expect(await child.ended()).toEqual({ code: null, stderr: '' });
      expect(await child.line()).toBeNull();
      expect(existsSync(`${old.file}-wal`)).toBe(true);
      await expectEverything(old);
      const { version, schema } = inspect(old.file);
      expect(version).toBe(MIGRATIONS.length);
      expect(JSON.stringify(schema)).not.toContain('half_made');
    },
  );
});

it('opens an empty folder in which a process was killed in the first migration', async () => {
  using folder = temporaryFolder();
  await using child = startChild('./killed-migration.ts', join(folder.path, STORE_FILE), '0');
  expect(await child.ended()).toEqual({ code: null, stderr: '' });
  openDatabase(folder.path).close();
  const { version, schema } = inspect(join(folder.path, STORE_FILE));
  expect(version).toBe(MIGRATIONS.length);
  expect(JSON.stringify(schema)).not.toContain('half_made');
});

// A store says only how many migrations it has had. If the text of a released one changed, stores of the same
// number would have different tables, and nothing could tell them apart: what is to change is a new migration.
it('the first migration is what the first release ran', () => {
  expect(MIGRATIONS[0]).toBe(firstMigration);
  expect(sha256(firstMigration)).toBe('ffcbe298e6813a3077464d6d79920f39ee53a29d15be007cec9ac87e8c7cb7fd');
});
