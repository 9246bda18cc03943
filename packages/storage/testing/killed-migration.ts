// Opens the database file it is given and runs every migration up to the one of an index, which kills this
// process before its transaction ends. An index past the last one stands for a migration that is yet to come.
import { DatabaseSync } from 'node:sqlite';
import { identify, MIGRATIONS, migrate } from '../src/sqlite/migrate.ts';

const [file = '', index = ''] = process.argv.slice(2);
const last = Number(index);
const connection = new DatabaseSync(file);
connection.function('kill_this_process', () => {
  process.kill(process.pid, 'SIGKILL');
  return null;
});
// So little memory that what is not committed is already in the file when the process dies.
connection.exec(
  'PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = 4',
);
const killed = `
  ${MIGRATIONS[last] ?? ''};
  CREATE TABLE half_made (x BLOB) STRICT;
  INSERT INTO half_made
    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200)
    SELECT randomblob(4096) FROM n;
  SELECT kill_this_process();
`;
migrate(connection, identify(connection, file), [...MIGRATIONS.slice(0, last), killed]);
console.log('it was not killed');
