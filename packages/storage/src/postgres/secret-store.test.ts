import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { temporarySchema } from '../../testing/open-postgres-store.ts';
import { randomness, sampleProvider } from '../../testing/open-sqlite-store.ts';
import { openKeyRing } from '../keys/key-ring.ts';
import { createSecretStore } from './secret-store.ts';

it('gives one secret to all who make it at once, sealed in its place, until it is replaced', async () => {
  const schema = await temporarySchema();
  const databases = [await schema.open(), await schema.open()];
  const stores = await Promise.all(
    databases.map(async (db) =>
      createSecretStore(
        db,
        await openKeyRing(db, { provider: sampleProvider(), randomness, clock: { now: () => 0 } }),
      ),
    ),
  );
  const made = await Promise.all(
    [...stores, ...stores].map((store) => store.kept('cursor-key', () => randomBytes(8).toString('hex'))),
  );
  expect(new Set(made).size).toBe(1);
  await stores[0]?.keep('cursor-key', 'the words of quince');
  await stores[0]?.keep('other', 'another');
  expect(await stores[1]?.kept('cursor-key', () => 'never')).toBe('the words of quince');
  const rows = await schema.execute('SELECT * FROM secrets');
  expect(JSON.stringify(rows)).not.toContain(Buffer.from('quince').toString('hex'));
  expect(Buffer.concat(rows.map(({ ciphertext }) => ciphertext as Buffer)).includes('quince')).toBe(false);
  await schema.execute(`UPDATE secrets SET (key_id, nonce, tag, commitment, ciphertext) =
    (SELECT key_id, nonce, tag, commitment, ciphertext FROM secrets WHERE name = 'other')`);
  await expect(stores[1]?.kept('cursor-key', () => 'never')).rejects.toMatchObject({ code: 'damaged' });
  for (const db of databases) await db.close();
  await schema.close();
});
