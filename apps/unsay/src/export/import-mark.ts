import type { Meta } from '@unsay/storage';
import { asTyped } from '../settings/as-typed.ts';
import { SettingError } from '../settings/settings.ts';

const KEY = 'import';
const FINISHED = 'finished';

/** The hash of the export whose import into this store was begun and not finished, or null. */
export function unfinishedImport(meta: Meta): string | null {
  const mark = meta.get(KEY);
  return mark === FINISHED ? null : mark;
}

/** Marks the store as one into which the export of this hash is being imported; null when it is there. */
export async function markImport(meta: Meta, sha256: string | null): Promise<void> {
  await meta.set(KEY, sha256 ?? FINISHED);
}

/**
 * A store with half of its facts looks like one in which the others never were.
 *
 * @throws SettingError when an import was not finished.
 */
export function refuseUnfinishedImport(meta: Meta): void {
  if (unfinishedImport(meta) === null) return;
  throw new SettingError(
    `An import into this store was not finished. Run ${asTyped('import FILE')} with the same file again to finish it, ` +
      'or choose another data folder.',
  );
}
