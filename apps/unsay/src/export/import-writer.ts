import {
  type AuditEntry,
  type FactStore,
  type FactVersion,
  instant,
  parseFactUri,
  type Salts,
} from '@unsay/live-resources';
import type { Attempt, ExportRecord, Version } from '@unsay/verifier';
import type { OpenFolder } from '../open-folder.ts';
import { entryOf } from './audit-entry.ts';

/**
 * A writer of an export's records into a store, each unless it stands already, so that an import that was
 * killed is finished by going through the whole file again. False says that something else stands there.
 */
export function createImportWriter(folder: OpenFolder): (record: ExportRecord) => Promise<boolean> {
  const { live, meta } = folder;
  const { store } = live;
  let rows = 0;
  return async (record) => {
    switch (record.type) {
      case 'meta':
        await meta.set(record.key, record.value);
        return true;
      case 'audit':
        rows += 1;
        return writeRow(store, rows - 1, record);
      case 'counted':
        return writeCount(store, record);
      case 'version':
        return writeVersion(folder, record);
      default:
        return true;
    }
  };
}

/** An entry links to the row before it as it did in the log that it is from, so its hash is the same. */
async function writeRow(
  store: FactStore,
  index: number,
  row: Attempt & { readonly hash: string },
): Promise<boolean> {
  const standing = async (): Promise<string | undefined> => (await store.audit(index, 1)).rows[0]?.hash;
  const before = await standing();
  if (before !== undefined) return before === row.hash;
  await store.record(entryOf(row), null);
  return (await standing()) === row.hash;
}

async function writeCount(store: FactStore, attempt: Attempt): Promise<boolean> {
  // With the first version, counts of earlier minutes became rows: all of them had been written by then.
  if ((await store.journalHead()) > 0) return true;
  const entry = entryOf(attempt);
  const { counted } = await store.audit(0, 0);
  if (!counted.some((standing) => isSame(standing, entry))) await store.countRefusal(entry);
  return true;
}

async function writeVersion(folder: OpenFolder, record: Version): Promise<boolean> {
  const { store } = folder.live;
  const version = factVersionOf(record);
  const standing = await store.version(version, version.version);
  if (standing !== null) return standing.versionHash === version.versionHash;
  const audit: AuditEntry = {
    at: instant(folder.clock.now()),
    actor: folder.operator.sub,
    uri: version.uri,
    outcome: 'accepted',
    reason: null,
    via: 'import',
    count: 1,
  };
  const outcome = await store.append({ version, quiet: true, audit, nonce: null, request: null });
  return outcome.kind === 'appended';
}

// The casts claim what verification of the file has shown.
function factVersionOf(record: Version): FactVersion {
  const name = parseFactUri(record.uri);
  if (name === null) throw new Error('a verified version has no fact URI');
  const salts = Object.entries(record.salts).map(([part, salt]) => [part, salt && bytesOf(salt, 'hex')]);
  const { blob } = record;
  return {
    subject: name.subject,
    topic: name.topic,
    uri: name.uri,
    audience: record.audience as FactVersion['audience'],
    version: record.version,
    kind: record.kind as FactVersion['kind'],
    laneOrdinal: record.laneOrdinal,
    value: record.value,
    blob: blob && { mediaType: blob.mediaType, bytes: bytesOf(blob.bytes, 'base64') },
    authorId: record.authorId,
    authorLabel: record.authorLabel,
    attestation: record.attestation,
    writtenAt: record.writtenAt as FactVersion['writtenAt'],
    staleAfter: record.staleAfter as FactVersion['staleAfter'],
    prevHash: record.prevHash as FactVersion['prevHash'],
    salts: Object.fromEntries(salts) as unknown as Salts,
    versionHash: record.versionHash as FactVersion['versionHash'],
  };
}

function isSame(a: AuditEntry, b: AuditEntry): boolean {
  return JSON.stringify(entryOf(a)) === JSON.stringify(b);
}

function bytesOf(text: string, encoding: 'hex' | 'base64'): Uint8Array {
  return new Uint8Array(Buffer.from(text, encoding));
}
