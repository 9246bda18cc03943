// Opens the store in the folder it is given and holds it until it is killed. Says `open`, or the code of
// the refusal.
import { openDatabase } from '../src/sqlite/open-database.ts';
import { StorageError } from '../src/storage-error.ts';

const [folder = ''] = process.argv.slice(2);
try {
  openDatabase(folder);
  console.log('open');
  // Something must be pending, or the process ends.
  setInterval(() => {}, 2 ** 30);
} catch (error) {
  if (!(error instanceof StorageError)) throw error;
  console.log(error.code);
}
