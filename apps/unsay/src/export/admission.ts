import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type Partition, parseDraft } from '@unsay/live-resources';
import { type ExportRecord, parseRecord, readLines, type Version } from '@unsay/verifier';
import { mayBeRecorded } from './audit-entry.ts';

/** A record of an export with the number of its line, from 1. */
export interface ExportLine {
  readonly record: ExportRecord;
  readonly number: number;
}

/**
 * The records of an export that was verified.
 *
 * @throws Error when the file is not what its trailer says any more: it was changed in the meantime.
 */
export async function* readExport(file: string): AsyncGenerator<ExportLine> {
  const hash = createHash('sha256');
  let sha256: string | null = null;
  for await (const { number, bytes, text } of readLines(createReadStream(file))) {
    const record = parseRecord(text ?? '');
    if (typeof record === 'string') throw changed(file);
    if (record.type === 'trailer') sha256 = record.sha256;
    else hash.update(bytes);
    yield { record, number };
  }
  if (hash.digest('hex') !== sha256) throw changed(file);
}

/** The hash that an export ends in, or the number of the first line that may not enter a store. */
export async function admitExport(
  partition: Partition,
  file: string,
): Promise<{ readonly sha256: string } | number> {
  let sha256 = '';
  for await (const { record, number } of readExport(file)) {
    if (!isAdmissible(partition, record)) return number;
    if (record.type === 'trailer') sha256 = record.sha256;
  }
  return { sha256 };
}

function isAdmissible(partition: Partition, record: ExportRecord): boolean {
  if (record.type === 'meta') return record.key === 'demonstration' && record.value === 'seeded';
  if (record.type === 'erased') return false;
  if (record.type === 'audit' || record.type === 'counted') return mayBeRecorded(record);
  return record.type !== 'version' || mayBePublished(partition, record);
}

// What a file says was never judged by this application. A label that ends a sentence, or a URI of one
// audience in the lane of another, must not come in by this door.
function mayBePublished(partition: Partition, version: Version): boolean {
  const { uri, value, authorId, authorLabel, staleAfter, blob } = version;
  const draft = parseDraft(partition, {
    uri,
    value,
    authorId,
    authorLabel,
    staleAfter,
    blob: blob && { mediaType: blob.mediaType, base64: blob.bytes },
  });
  return typeof draft === 'object' && draft.rule.audience === version.audience;
}

function changed(file: string): Error {
  return new Error(`${file} was changed while it was being imported. Import it again as it was.`);
}
