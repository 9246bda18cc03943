import { StorageError } from '@unsay/storage';
import type { OpenFolder } from '../open-folder.ts';

/** What an operation gives: data to print, or why the answer is no. `ok` decides the exit code. */
export interface OperationResult {
  readonly ok: boolean;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Parameters as they come over the control socket: checked by each operation. */
export type Parameters = Readonly<Record<string, unknown>>;

/** One thing an operator can do to a data folder, on a running server or a stopped one. */
export type Operation = (folder: OpenFolder, parameters: Parameters) => Promise<OperationResult>;

/** A refusal in words for a person. */
export function refusal(error: string, next: string): OperationResult {
  return { ok: false, data: { error, next } };
}

/** Does work on files that were named by whoever asks: what files and disks refuse is told in words. */
export async function explained(work: () => Promise<OperationResult>): Promise<OperationResult> {
  try {
    return await work();
  } catch (error) {
    const isOfFiles = error instanceof StorageError || (error instanceof Error && 'syscall' in error);
    if (!isOfFiles) throw error;
    return refusal(`${error.message}${/[.!]$/.test(error.message) ? '' : '.'}`, 'Nothing was completed.');
  }
}

/** A text parameter, or null when it is absent or another type. */
export function text(parameters: Parameters, name: string): string | null {
  const value = parameters[name];
  return typeof value === 'string' ? value : null;
}
