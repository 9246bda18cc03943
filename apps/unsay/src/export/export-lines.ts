import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { type Exported, type ExportRecord, exportRecords } from './export-records.ts';

const COUNTED = ['meta', 'fact', 'lane', 'audit', 'counted', 'version', 'erased'];

/**
 * The lines of an export (docs/spec/export.md), each with its line feed, one at a time. The last is the trailer,
 * by which a reader knows that it has everything.
 */
export async function* exportLines(folder: Exported): AsyncGenerator<string> {
  const counts = new Map(COUNTED.map((type) => [type, 0]));
  const hash = createHash('sha256');
  for await (const record of exportRecords(folder)) {
    const line = lineOf(record);
    hash.update(line);
    const count = counts.get(record.type);
    if (count !== undefined) counts.set(record.type, count + 1);
    yield line;
  }
  yield lineOf({ type: 'trailer', counts: Object.fromEntries(counts), sha256: hash.digest('hex') });
}

function lineOf(record: ExportRecord): string {
  const text = canonicalize(record);
  if (text === undefined) throw new Error('a record that JSON cannot express');
  return `${text}\n`;
}
