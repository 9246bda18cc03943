import { closeSync, constants, existsSync, openSync } from 'node:fs';
import { join } from 'node:path';

/** The control socket of a data folder. */
export const SOCKET_NAME = 'control.sock';

// What a socket address can hold, less the closing NUL: 107 bytes on Linux, 103 elsewhere.
const LONGEST = process.platform === 'linux' ? 107 : 103;

/**
 * Calls `use` with a path of the folder's control socket that fits into a socket address. In a folder whose
 * path is too long, Linux reaches the socket through an open descriptor of the folder.
 *
 * @throws Error when the path is too long and there is no such way.
 */
export function withSocketPath<Result>(folder: string, use: (path: string) => Result): Result {
  const path = join(folder, SOCKET_NAME);
  if (Buffer.byteLength(path) <= LONGEST) return use(path);
  if (!existsSync('/proc/self/fd')) {
    throw new Error(
      `The path of the data folder is too long for a socket. Choose one below ${LONGEST} bytes.`,
    );
  }
  const descriptor = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    return use(`/proc/self/fd/${descriptor}/${SOCKET_NAME}`);
  } finally {
    closeSync(descriptor);
  }
}
