import { sampleFact, write } from '@unsay/live-resources/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  openUrl,
  postgresStoreOn,
  type TemporarySchema,
  temporarySchema,
} from '../../testing/open-postgres-store.ts';
import { sampleProvider } from '../../testing/open-sqlite-store.ts';
import { plaintextProvider } from '../envelope/key-provider.ts';

const PASSWORD = 'not-the-password-of-quince';
let schema: TemporarySchema;
beforeEach(async () => {
  schema = await temporarySchema();
});
afterEach(() => schema.close());

function changed(change: (url: URL) => void): string {
  const url = new URL(schema.url);
  change(url);
  return url.href;
}

async function refusalOf(url: string) {
  const error = await openUrl(url).then(
    (db) => db.close(),
    (reason: unknown) => reason,
  );
  if (!(error instanceof Error)) throw new Error('it was opened');
  expect(error.message).not.toContain(PASSWORD);
  expect(error.message).not.toContain(new URL(schema.url).password);
  return error;
}

it.each<[string, string, RegExp, (url: URL) => void]>([
  [
    'a wrong password',
    'access_denied',
    /refused this user\. Check the user and the password/,
    (url) => {
      url.password = PASSWORD;
    },
  ],
  [
    'a user that is not there',
    'access_denied',
    /refused this user/,
    (url) => {
      url.username = 'nobody-at-all';
    },
  ],
  [
    'a database that is not there',
    'no_database',
    /^There is no database 127.*\/nowhere\. Create it/,
    (url) => {
      url.pathname = '/nowhere';
    },
  ],
  [
    'a server that does not answer',
    'unreachable',
    /cannot be reached/,
    (url) => {
      url.port = '9';
    },
  ],
  [
    'a host that is not there',
    'unreachable',
    /cannot be reached/,
    (url) => {
      url.hostname = 'nowhere.invalid';
    },
  ],
])('is told of %s in one sentence, without the password', async (_what, code, sentence, change) => {
  expect(await refusalOf(changed(change))).toMatchObject({ code, message: expect.stringMatching(sentence) });
});

it('is told of a user that may not create tables', async () => {
  await schema.execute(`DROP ROLE IF EXISTS visitor_${process.pid};
    CREATE ROLE visitor_${process.pid} LOGIN PASSWORD '${PASSWORD}'; CREATE SCHEMA IF NOT EXISTS forbidden`);
  const url = changed((to) => {
    to.username = `visitor_${process.pid}`;
    to.password = PASSWORD;
    to.searchParams.set('options', '-c search_path=forbidden');
  });
  expect(await refusalOf(url)).toMatchObject({ code: 'access_denied' });
});

it('is told of a database whose transactions are read-only, and goes on reading', async () => {
  const before = await schema.open();
  await write(await postgresStoreOn(before), sampleFact('user', 'ray', 'walking'));
  await before.close();
  const url = changed((to) => {
    to.searchParams.set('options', `${to.searchParams.get('options')} -c default_transaction_read_only=on`);
  });
  const db = await openUrl(url);
  const store = await postgresStoreOn(db);
  expect((await store.version(sampleFact('user', 'ray', 'walking'), null))?.version).toBe(1);
  await expect(write(store, sampleFact('user', 'ray', 'walking'))).rejects.toMatchObject({
    code: 'unwritable',
    message: expect.stringContaining('can only be read'),
  });
  await db.close();
});

it('refuses another key than the store was made with, and none, naming the database', async () => {
  const db = await schema.open();
  await postgresStoreOn(db);
  for (const provider of [sampleProvider(Buffer.alloc(32, 7)), plaintextProvider]) {
    await expect(postgresStoreOn(db, provider)).rejects.toMatchObject({
      code: 'wrong_key',
      message: expect.stringMatching(/^The store 127\.0\.0\.1:\d+\/postgres .*choose another database\.$/),
    });
  }
  await db.close();
});
