import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ROOT } from '../harness/running-server.ts';

/** A file that a document names, and the test in it, if it names one. */
export interface Pointer {
  /** From the root of the house. */
  readonly path: string;
  readonly test: string | null;
}

/** Every link to a file in a document, with the name of the test that stands in quotes after it. */
export function pointersOf(document: string, text: string): readonly Pointer[] {
  const links = [...text.matchAll(/\]\(([^)\s#:]+)\)(?:\s+“([^”]+)”)?/g)];
  return links.map(([, target = '', test = null]) => ({
    path: join(dirname(document), target),
    test: test === null ? null : test.replaceAll(/\s+/g, ' '),
  }));
}

/** Why a pointer leads nowhere; null when it does not. */
export function problemOf({ path, test }: Pointer): string | null {
  const file = join(ROOT, path);
  if (!existsSync(file)) return `${path} is not there`;
  if (test === null) return null;
  if (!path.endsWith('.test.ts')) return `${path} has no tests`;
  const isThere = ["'", '"', '`'].some((quote) =>
    readFileSync(file, 'utf8').includes(`${quote}${test}${quote}`),
  );
  return isThere ? null : `${path} has no test “${test}”`;
}

/** A document of the house. */
export function readDocument(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}
