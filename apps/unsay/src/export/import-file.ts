import { accessSync, constants, createReadStream, statSync } from 'node:fs';
import { reportText, verifyExport } from '@unsay/verifier';
import { carePartition } from '../domain/care-partition.ts';
import type { OpenFolder } from '../open-folder.ts';
import { type OperationResult, refusal } from '../operations/operation.ts';
import { asTyped } from '../settings/as-typed.ts';
import { admitExport, readExport } from './admission.ts';
import { markImport, unfinishedImport } from './import-mark.ts';
import { createImportWriter } from './import-writer.ts';

/** A file that may be imported: what is in it, and the hash that it ends in. */
interface Sound {
  readonly ok: true;
  readonly data: { readonly chains: number; readonly versions: number; readonly sha256: string };
}

/** Whether a file is an intact export of facts that this application would publish. It touches no store. */
export async function checkImport(file: string): Promise<Sound | OperationResult> {
  const unreadable = whyUnreadable(file);
  if (unreadable !== null)
    return refusal(`${file} ${unreadable}.`, `Name a file that ${asTyped('export')} wrote.`);
  const report = await verifyExport(createReadStream(file));
  if (!report.intact)
    return refusal(`${file} is not an intact export:\n${reportText(report)}\n`, 'Nothing was imported.');
  const admitted = await admitExport(carePartition, file);
  if (typeof admitted !== 'number') {
    return { ok: true, data: { chains: report.chains, versions: report.versions, ...admitted } };
  }
  return refusal(
    `Line ${admitted} of ${file} is erased, or may not be published here.`,
    'Nothing was imported.',
  );
}

function whyUnreadable(file: string): string | null {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found === undefined) return 'does not exist';
  if (found.isDirectory()) return 'is a folder';
  try {
    accessSync(file, constants.R_OK);
    return null;
  } catch {
    return 'may not be read by this user';
  }
}

/**
 * Imports a file into an empty store (docs/spec/export.md, "Importing"). Nothing is written before the whole
 * file was verified. A killed import leaves a store that says so, and is finished by the same file.
 */
export async function importFile(folder: OpenFolder, file: string): Promise<OperationResult> {
  const checked = await checkImport(file);
  if (!isSound(checked)) return checked;
  const { sha256 } = checked.data;
  const inTheWay = await whatIsInTheWay(folder, sha256);
  if (inTheWay !== null) return inTheWay;
  await markImport(folder.meta, sha256);
  const write = createImportWriter(folder);
  for await (const { record } of readExport(file)) {
    if (record.type === 'trailer' && record.sha256 !== sha256) throw new Error(`${file} was replaced.`);
    if (!(await write(record))) {
      return refusal(
        'Somebody else wrote to this store during the import.',
        'Import into a new data folder; this one cannot be used.',
      );
    }
  }
  await markImport(folder.meta, null);
  return checked;
}

function isSound(checked: Sound | OperationResult): checked is Sound {
  return checked.ok;
}

async function whatIsInTheWay({ live, meta }: OpenFolder, sha256: string): Promise<OperationResult | null> {
  const unfinished = unfinishedImport(meta);
  if (unfinished === sha256) return null;
  if (unfinished !== null) {
    return refusal(
      'The import of another file into this store was not finished.',
      'Finish that one, or take a new data folder.',
    );
  }
  const { rows, counted } = await live.store.audit(0, 1);
  const isEmpty = (await live.store.journalHead()) === 0 && rows.length === 0 && counted.length === 0;
  if (isEmpty && meta.get('demonstration') === null) return null;
  return refusal('The store is not empty.', `Name a new folder: ${asTyped('import FILE --data FOLDER')}.`);
}
