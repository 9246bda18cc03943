import { type FactStore, replayAudit, replayChain } from '@unsay/live-resources';
import { attempt, EVERY_LANE, later, nonceOf, START, sampleFact, write } from '@unsay/live-resources/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ENGINES } from '../../testing/engines.ts';
import { postgresStoreOn, type TemporarySchema, temporarySchema } from '../../testing/open-postgres-store.ts';
import { sampleProvider } from '../../testing/open-sqlite-store.ts';
import { spellingsIn } from '../../testing/spellings.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';
import type { PostgresDatabase } from './database.ts';

const TOPIC = 'heliotrope-quarrel';
const FACT = sampleFact('user', 'ray', TOPIC);
const OTHER = sampleFact('user', 'ray', 'stairs');
const WORDS = {
  topic: TOPIC,
  value: 'Zwölf Schritte am Geländer, marmalade xylophone.',
  author: 'author-obsidian-kestrel',
  label: 'the tangerine gondolier',
  attestation: '{"signed":"by the periwinkle notary"}',
  actor: 'actor-vermilion-otter',
  request: 'request-of-the-lilac-barometer',
};
const REQUEST = { id: WORDS.request, requestHash: 'b7e2'.repeat(16), expiresAt: later(START, 1000) };

async function fill(store: FactStore): Promise<void> {
  const { value, author: authorId, label: authorLabel, attestation, actor } = WORDS;
  await write(store, FACT, { value, authorId, authorLabel, attestation }, { request: REQUEST });
  await write(store, FACT, { value });
  await write(store, OTHER, {}, { request: { ...REQUEST, id: 'another' } });
  await store.record(attempt(START, { actor }), nonceOf('signature', START));
  await store.countRefusal(attempt(later(START, 3_600_000), { actor }));
}

let schema: TemporarySchema;
let db: PostgresDatabase;
beforeEach(async () => {
  schema = await temporarySchema();
  db = await schema.open();
});
afterEach(async () => {
  await db.close();
  await schema.close();
});

it.each([
  ['sealed', sampleProvider(), 0],
  ['in plain bytes', plaintextProvider, Object.keys(WORDS).length],
])('%s, its tables tell what they should of what was written', async (_how, provider, told) => {
  const engine = ENGINES.find(({ name }) => name === 'PostgreSQL');
  const place = await engine?.makePlace();
  const opened = (await place?.open()) as PostgresDatabase;
  await fill(await postgresStoreOn(opened, provider));
  await opened.close();
  const bytes = (await place?.bytes()) ?? Buffer.of();
  expect(bytes.length).toBeGreaterThan(1000);
  expect(Object.values(WORDS).filter((word) => spellingsIn(bytes, word).length > 0)).toHaveLength(told);
  await place?.remove();
});

const SEALED = 'key_id, nonce, tag, commitment, ciphertext';
/** Gives every row of a table the sealed bytes of the next one. */
const moved = (table: string, key: string): string => `
  WITH kept AS (SELECT *, row_number() OVER (ORDER BY ${key}) AS place, count(*) OVER () AS of FROM ${table}),
    moved AS (SELECT one.${key} AS at, other.* FROM kept one JOIN kept other ON other.place = one.place % one.of + 1)
  UPDATE ${table} SET (${SEALED}) = (SELECT ${SEALED} FROM moved WHERE at = ${table}.${key})`;

it('serves nothing whose bytes were moved to another row, and takes none for absent', async () => {
  const store = await postgresStoreOn(db);
  await fill(store);
  expect((await store.version(FACT, 2))?.value).toBe(WORDS.value);
  await schema.execute(moved('versions', 'position'));
  await schema.execute(moved('audit', 'row_index'));
  await schema.execute(moved('answered_requests', 'id_index'));
  const damaged = { code: 'damaged', message: expect.stringContaining('restore the newest backup') };
  for (const version of [1, 2, null])
    await expect(store.version(FACT, version)).rejects.toMatchObject(damaged);
  await expect(store.headFor(FACT, FACT.rule.audience)).rejects.toMatchObject(damaged);
  await expect(store.answered(REQUEST.id)).rejects.toMatchObject(damaged);
  await expect(write(store, sampleFact('user', 'eve', 'walking'))).rejects.toMatchObject(damaged);
  const { head, versions } = await store.chain(FACT);
  expect(versions).toHaveLength(2);
  expect(replayChain(versions, head)).not.toBeNull();
  expect(replayAudit((await store.audit(0, 100)).rows)).not.toBeNull();
});

it('finds a name in the versions when the one in the row of its fact was moved, and a lost row is no absence', async () => {
  await fill(await postgresStoreOn(db));
  await schema.execute(moved('facts', 'topic_index'));
  const store = await postgresStoreOn(db);
  expect((await store.names({ ...EVERY_LANE, after: null, limit: 9 })).map(({ uri }) => uri)).toEqual([
    `fact://ray/${TOPIC}`,
    'fact://ray/stairs',
  ]);
  await schema.execute(
    'SET session_replication_role = replica; DELETE FROM facts; SET session_replication_role = origin',
  );
  for (const read of [
    () => store.audienceOf(FACT),
    () => store.version(FACT, null),
    () => store.headFor(FACT, FACT.rule.audience),
  ]) {
    await expect(read()).rejects.toMatchObject({ code: 'damaged' });
  }
  expect((await store.version(FACT, 1))?.value).toBe(WORDS.value);
});
