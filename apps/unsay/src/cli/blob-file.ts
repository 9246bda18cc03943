import { readFileSync, statSync } from 'node:fs';
import { extname } from 'node:path';
import { type OperationResult, refusal } from '../operations/operation.ts';
import { UsageError } from './command.ts';

/** A clip on its way to the operation that publishes it. */
export interface BlobFile {
  readonly mediaType: string;
  readonly base64: string;
}

// The most that UNSAY_BLOB_LIMIT can be. Which limit holds is for the server to say: its settings count.
const MOST_BYTES = 16 * 1024 * 1024;

/**
 * Reads the file of `--blob`, null when none was given, or why it is not read.
 *
 * @throws UsageError when it is not said what the bytes are.
 */
export function readBlobFile(
  path: string | null,
  mediaType: string | null,
): BlobFile | OperationResult | null {
  if (path === null) {
    if (mediaType !== null) throw new UsageError('--media-type is for --blob.');
    return null;
  }
  const type = mediaType ?? (extname(path).toLowerCase() === '.wav' ? 'audio/wav' : null);
  if (type === null)
    throw new UsageError('--media-type is needed for a file that does not end in .wav, such as audio/mpeg.');
  try {
    const status = statSync(path);
    // A device or a pipe may never end.
    if (!status.isFile()) return refusal(`${path} is not a file.`, 'Name a file.');
    if (status.size > MOST_BYTES) {
      const most = `a clip may have ${MOST_BYTES} at the most`;
      return refusal(`${path} has ${status.size} bytes, and ${most}.`, 'Give a shorter one.');
    }
    return { mediaType: type, base64: readFileSync(path).toString('base64') };
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return refusal(`${path} cannot be read (${error.message}).`, 'Name a file.');
  }
}
