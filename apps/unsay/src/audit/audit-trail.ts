import { closeSync, fstatSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import {
  type AuditEntry,
  epochMs,
  type FactStore,
  type Instant,
  instant,
  type Nonce,
} from '@unsay/live-resources';
import { SettingError } from '../settings/settings.ts';

/** Where every attempt to write is recorded. */
export interface AuditTrail {
  /** Records a refusal durably, and uses up its signature; `replayed` when that was used before. */
  refused(entry: AuditEntry, nonce: Nonce | null): Promise<'recorded' | 'replayed'>;
  /** An acceptance is recorded by the publication itself; this copies it to the audit file. */
  accepted(entry: AuditEntry): void;
}

// So many refusals of one kind in one minute get a row each; what follows is a flood and is counted.
const ROWS_A_MINUTE = 10;
// A flood that names another URI each time is one flood: past so many rows its URIs are not told apart.
const ROWS_OF_ALL_URIS_A_MINUTE = 100;
const MOST_KINDS = 10_000;

/**
 * A trail in a store, copied to a file when a path is given. What cannot be copied is told to `onFault`: by
 * then it is in the store, and whoever wrote is owed the answer that is true.
 *
 * @throws SettingError when the file cannot be written to.
 */
export function createAuditTrail(
  store: FactStore,
  file: string | null,
  onFault: (error: unknown) => void,
): AuditTrail {
  if (file !== null && !canAppend(file)) {
    throw new SettingError(
      `UNSAY_AUDIT_LOG names ${file}, which cannot be written to. Choose another file, or unset it.`,
    );
  }
  let minute = '';
  let rows = new Map<string, number>();

  /** What to count of an entry that is part of a flood, null for one that gets a row. */
  function inFlood(entry: AuditEntry): AuditEntry | null {
    const now = entry.at.slice(0, 16);
    if (now !== minute || rows.size >= MOST_KINDS) {
      minute = now;
      rows = new Map();
    }
    const { actor, uri, reason, via } = entry;
    const at = startOfMinute(entry.at);
    if (another([actor, reason, via]) > ROWS_OF_ALL_URIS_A_MINUTE) return { ...entry, uri: null, at };
    return another([actor, reason, via, uri]) > ROWS_A_MINUTE ? { ...entry, at } : null;
  }

  function another(kind: readonly (string | null)[]): number {
    const key = JSON.stringify(kind);
    const count = (rows.get(key) ?? 0) + 1;
    rows.set(key, count);
    return count;
  }

  function copy(entry: AuditEntry): void {
    if (file === null) return;
    try {
      append(file, `${JSON.stringify(entry)}\n`);
    } catch (error) {
      onFault(error);
    }
  }

  return {
    async refused(entry, nonce) {
      // A signature must be used up, so its refusal is a row of its own however many there are.
      const flood = nonce === null ? inFlood(entry) : null;
      if (flood !== null) {
        await store.countRefusal(flood);
        return 'recorded';
      }
      const outcome = await store.record(entry, nonce);
      if (outcome === 'recorded') copy(entry);
      return outcome;
    },
    accepted: copy,
  };
}

// A row of which only a part found room is taken back, or it would spoil the one that follows it.
function append(file: string, text: string): void {
  const descriptor = openSync(file, 'a', 0o600);
  try {
    const before = fstatSync(descriptor);
    try {
      writeFileSync(descriptor, text);
    } catch (error) {
      if (before.isFile()) ftruncateSync(descriptor, before.size);
      throw error;
    }
  } finally {
    closeSync(descriptor);
  }
}

function canAppend(file: string): boolean {
  try {
    append(file, '');
    return true;
  } catch {
    return false;
  }
}

function startOfMinute(at: Instant): Instant {
  return instant(Math.floor(epochMs(at) / 60_000) * 60_000);
}
