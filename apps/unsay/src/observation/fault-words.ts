import { StorageError } from '@unsay/storage';

/** What may be written down of an exception. */
export interface FaultWords {
  /** The class of the error. */
  readonly error: string;
  readonly code?: string;
  /** The sentence of an error whose sentences are the store's or the operating system's. */
  readonly message?: string;
  /** Where it was thrown, innermost first. */
  readonly stack?: readonly string[];
  readonly cause?: FaultWords;
}

const MOST_FRAMES = 12;
const MOST_CAUSES = 3;

/**
 * What may be written down of an exception: its class, its code and the places it passed. Its message may hold
 * anything that the failing code had in hand, a fact's words included, so it is kept only where it cannot: the
 * store's own sentences, and those of the operating system, which name files.
 */
export function faultWords(error: unknown, causes = MOST_CAUSES): FaultWords {
  if (!(error instanceof Error)) return { error: 'NotAnError' };
  const { name, message, cause } = error;
  const code = codeOf(error);
  const stack = error instanceof StorageError ? [] : framesOf(error);
  return {
    error: /^[A-Z][A-Za-z]{0,63}$/.test(name) ? name : 'Error',
    ...(code === null ? {} : { code }),
    ...(error instanceof StorageError || isOfSystem(error) ? { message } : {}),
    ...(stack.length === 0 ? {} : { stack }),
    ...(cause === undefined || causes === 0 || error instanceof StorageError
      ? {}
      : { cause: faultWords(cause, causes - 1) }),
  };
}

/** Codes of Node and of the engine are in capitals, and no name of a fact is. */
function codeOf(error: Error): string | null {
  const code = 'code' in error ? error.code : null;
  if (error instanceof StorageError) return error.code;
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]{0,63}$/.test(code) ? code : null;
}

function isOfSystem(error: Error): boolean {
  return 'errno' in error && typeof error.errno === 'number' && 'syscall' in error;
}

/** A stack begins with the message, which may be written to look like a part of it. */
function framesOf({ stack = '', message }: Error): readonly string[] {
  const at = stack.indexOf(message);
  if (at < 0) return [];
  return stack
    .slice(at + message.length)
    .split('\n')
    .filter((line) => /^ {4}at [^\n]*:\d+:\d+\)?$/.test(line))
    .slice(0, MOST_FRAMES)
    .map((line) => line.trim());
}
