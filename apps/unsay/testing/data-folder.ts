import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseDraft } from '@unsay/live-resources';
import { exportLines } from '../src/export/export-lines.ts';
import { openFolder } from '../src/main.ts';
import type { OpenFolder } from '../src/open-folder.ts';
import { readSettings, type Settings } from '../src/settings/settings.ts';

/** A place for one test; `using` removes it. */
export interface Place extends Disposable {
  /** The path of a name in it. */
  at(name: string): string;
}

/** An empty place. */
export function temporaryPlace(): Place {
  const path = mkdtempSync(join(tmpdir(), 'unsay-folder-'));
  return {
    at: (name) => join(path, name),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

/** Settings of a data folder, at one fixed time. */
export function settingsOf(data: string, more: Readonly<Record<string, string>> = {}): Settings {
  return readSettings({ data, clock: '2033-03-04T05:06:07.089Z', seed: 'none', ...more }, {});
}

/** Opens a data folder for as long as `work` takes. */
export async function onFolder<Result>(
  data: string,
  work: (folder: OpenFolder) => Promise<Result>,
): Promise<Result> {
  const folder = await openFolder(settingsOf(data));
  try {
    return await work(folder);
  } finally {
    await folder.close();
  }
}

/** Publishes a version; null withdraws. */
export async function say(folder: OpenFolder, uri: string, value: string | null, blob = ''): Promise<void> {
  const draft = parseDraft(folder.live.partition, {
    uri,
    value,
    authorId: 'author-1',
    authorLabel: null,
    staleAfter: null,
    blob: blob === '' ? null : { mediaType: 'audio/wav', base64: blob },
  });
  if (typeof draft === 'string') throw new Error(`malformed ${draft}`);
  const outcome = await folder.live.publish(folder.operator, {
    draft,
    ifMatch: null,
    nonce: null,
    request: null,
    via: 'control',
    quiet: false,
  });
  if (outcome.kind !== 'published') throw new Error(outcome.kind);
}

/** Two lanes of one subject and one of another, with a correction, a withdrawal, a blob, a refusal and a flood. */
export async function fill(folder: OpenFolder): Promise<void> {
  await say(folder, 'care://ray/walking', 'Walk 5 minutes.');
  await say(folder, 'care-internal://ray/risk', 'Two near falls.');
  await say(folder, 'care://eve/wound', 'Keep it dry.\n\u2028“Quoted”, \u{1f6b6} and a NUL: \0');
  await say(folder, 'care://ray/walking', 'Do not walk.');
  await say(folder, 'care://ray/gait', 'A clip.', 'AAECAw==');
  await say(folder, 'care://ray/walking', null);
  await say(folder, 'care://ray/walking', 'Walk again.');
  const attempt = { actor: null, uri: null, outcome: 'refused', via: 'hmac', count: 1 } as const;
  const at = (text: string) => text as Parameters<typeof folder.live.store.countRefusal>[0]['at'];
  const now = at('2033-03-04T05:06:07.089Z');
  await folder.live.store.record({ ...attempt, at: now, reason: 'stale_timestamp' }, null);
  const minute = at('2033-03-04T05:06:00.000Z');
  for (let count = 0; count < 3; count += 1)
    await folder.live.store.countRefusal({ ...attempt, at: minute, reason: 'bad_signature' });
}

/** The lines of an export of the folder. */
export async function linesOf(folder: OpenFolder): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of exportLines(folder)) lines.push(line);
  return lines;
}
