import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LOCAL_REPOSITORY, type OpenParts, openParts } from '../src/open-parts.ts';

/** Parts in a folder of their own, with a clock that counts seconds from the morning of 2026-12-01. */
export interface TemporaryParts extends OpenParts {
  readonly folder: string;
  readonly repositoryPath: string;
  remove(): void;
}

export async function temporaryParts(folder?: string): Promise<TemporaryParts> {
  const path = folder ?? mkdtempSync(join(tmpdir(), 'press-'));
  let at = Date.parse('2026-12-01T08:00:00Z');
  const parts = await openParts(path, () => {
    at += 1000;
    return at;
  });
  return {
    ...parts,
    folder: path,
    repositoryPath: join(path, LOCAL_REPOSITORY),
    remove() {
      parts.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** A post that passes every gate. */
export function samplePost(status: 'draft' | 'published', text = 'The tide table is new.'): string {
  return `---\ntitle: Fog on the causeway\ndate: 2026-11-30\nstatus: ${status}\n---\n${text}\n`;
}
