import { backUpFolder } from '../backup/backup-folder.ts';
import { importFile } from '../export/import-file.ts';
import { explained, type Operation, text } from './operation.ts';

/** `unsay import`: reads a file of this machine. What it flags as public is public from the next start on. */
export const importExport: Operation = (folder, parameters) =>
  explained(() => importFile(folder, text(parameters, 'file') ?? ''));

/** `unsay backup`: writes a folder of this machine. */
export const backUp: Operation = (folder, parameters) =>
  explained(async () => backUpFolder(folder, text(parameters, 'target') ?? '', parameters.keys === true));
