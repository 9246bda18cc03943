/** `npm start`: installs what is missing, builds the pages if they are older than their sources, serves. */
import { bootstrap, orRefuse, runFile } from './bootstrap.mjs';
import { buildPages } from './build-pages.mjs';

await orRefuse(async () => {
  await bootstrap();
  await buildPages();
  await runFile('apps/unsay/src/cli/unsay.ts', ['serve', ...process.argv.slice(2)]);
});
