import { temporarySchema } from '@unsay/storage/testing';
import { expect, it } from 'vitest';
import { ROOT, removeFolder, run, temporaryFolder, testEnvironment } from '../harness/running-server.ts';

const CLI = `${ROOT}/apps/unsay/src/cli/unsay.ts`;

it('names what a database lacks without changing it, then runs that, and then lacks nothing', async () => {
  const folder = temporaryFolder();
  const schema = await temporarySchema();
  await schema.execute('DROP SCHEMA IF EXISTS bare CASCADE; CREATE SCHEMA bare');
  const url = schema.url.replace(/search_path%3D\w+/, 'search_path%3Dbare');
  const env = testEnvironment(folder, { UNSAY_DATABASE_URL: url, UNSAY_MASTER_KEY: 'c0'.repeat(32) });
  const migrate = (...args: string[]) => run(process.execPath, [CLI, 'migrate', ...args], env);
  const tables = () => schema.execute("SELECT 1 FROM pg_tables WHERE schemaname = 'bare'");
  const dry = await migrate('--dry-run');
  expect(dry).toMatchObject({ code: 0, stdout: 'would run 0001-first, 0002-limits\n', stderr: '' });
  expect(await tables()).toEqual([]);
  const ran = JSON.parse((await migrate('--json')).stdout);
  expect(ran).toEqual({ dryRun: false, migrations: ['0001-first', '0002-limits'] });
  expect((await tables()).length).toBeGreaterThan(10);
  expect((await migrate('--dry-run')).stdout).toBe('The database lacks none.\n');
  await schema.close();
  removeFolder(folder);
});

it('says that a store in a folder needs none of it', async () => {
  const folder = temporaryFolder();
  const { code, stderr } = await run(process.execPath, [CLI, 'migrate'], testEnvironment(folder, {}));
  expect([code, stderr]).toEqual([1, expect.stringContaining('migrated when it is opened')]);
  removeFolder(folder);
});

it('says what is wrong with a database that is not there, in one sentence without a password', async () => {
  const folder = temporaryFolder();
  const env = testEnvironment(folder, {
    UNSAY_DATABASE_URL: 'postgres://unsay:hunter2@127.0.0.1:9/unsay',
    UNSAY_MASTER_KEY: 'c0'.repeat(32),
  });
  const { code, stderr } = await run(process.execPath, [CLI, 'migrate', '--dry-run'], env);
  expect(code).toBe(1);
  expect(stderr).toMatch(/^[A-Z][^\n]+\n$/);
  expect(stderr).not.toContain('hunter2');
  removeFolder(folder);
});
