/** `node scripts/with-node.mjs FILE …`: runs a TypeScript source on the pinned Node, installing it first if need be. */
import { bootstrap, orRefuse, Refusal, runFile } from './bootstrap.mjs';

await orRefuse(async () => {
  const [file, ...args] = process.argv.slice(2);
  if (file === undefined) throw new Refusal('Usage: node scripts/with-node.mjs FILE [argument …]');
  await bootstrap();
  await runFile(file, args);
});
