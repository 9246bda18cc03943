import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from '../harness/running-server.ts';

// What is written of a guide lies in the house, where its imports are found.
const FOLDER = join(ROOT, 'test-output');

/** What read-from-a-client.md exports. */
export interface ClientGuide {
  takeBack(server: string, token: string, uri: string, say: (words: string) => void): Promise<void>;
}

/** The bodies of a document's code blocks in one language. */
export function blocks(text: string, language: string): string[] {
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'gm'))].map(
    ([, body]) => body ?? '',
  );
}

/** The text of a guide. */
export function readGuide(name: string): string {
  return readFileSync(join(ROOT, `docs/guides/${name}.md`), 'utf8');
}

/** The module that a guide's first block of code is, as it stands there. */
export async function codeOf<Guide>(name: string): Promise<Guide> {
  const [code = ''] = blocks(readGuide(name), 'ts');
  const file = writeCode(`${name}.mjs`, stripTypeScriptTypes(code));
  return (await import(pathToFileURL(file).href)) as Guide;
}

/** Writes code of a guide to a file, and gives its path. */
export function writeCode(file: string, code: string): string {
  const path = join(FOLDER, file);
  mkdirSync(dirname(path), { recursive: true });
  // Another test may be reading the same one.
  const written = `${path}.${process.pid}`;
  writeFileSync(written, code);
  renameSync(written, path);
  return path;
}
