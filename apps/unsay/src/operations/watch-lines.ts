import { isNamed, parseFactUri, renderRetraction } from '@unsay/live-resources';
import { GLOSSARY } from '../domain/glossary.ts';
import type { OpenFolder } from '../open-folder.ts';

const BATCH = 64;

/**
 * `unsay watch`: each correction with its retraction, as it lands, from now on. The first line says that the
 * watch has begun: whatever is published after it is told.
 */
export async function* watchLines(folder: OpenFolder, ended: AbortSignal): AsyncGenerator<string> {
  const { store } = folder.live;
  let rung = Promise.withResolvers<void>();
  const stop = folder.hooks.watch(() => rung.resolve());
  ended.addEventListener('abort', () => rung.resolve(), { once: true });
  try {
    let position = await store.journalHead();
    yield `${JSON.stringify({ watching: true })}\n`;
    while (!ended.aborted) {
      // Made anew before reading: what is published while it is read must not be waited for.
      rung = Promise.withResolvers();
      const entries = await store.journal(position, BATCH);
      for (const entry of entries) {
        position = entry.position;
        // A first version corrects nothing.
        if (entry.quiet || entry.version === 1 || !isNamed(entry)) continue;
        const correction = await correctionOf(folder, entry.uri, entry.version);
        if (correction !== null) yield `${JSON.stringify(correction)}\n`;
      }
      if (entries.length < BATCH) await rung.promise;
    }
  } finally {
    stop();
  }
}

async function correctionOf({ live }: OpenFolder, uri: string, number: number): Promise<object | null> {
  const fact = parseFactUri(uri);
  if (fact === null) return null;
  const [previous, version] = await Promise.all(
    [number - 1, number].map((each) => live.store.version(fact, each)),
  );
  if (!previous || !version) return null;
  return {
    uri,
    version: number,
    kind: version.kind,
    value: version.value,
    previousVersion: number - 1,
    previousValue: previous.value,
    writtenAt: version.writtenAt,
    author: version.authorLabel,
    retraction: renderRetraction(previous, version, live.clock, GLOSSARY),
  };
}
