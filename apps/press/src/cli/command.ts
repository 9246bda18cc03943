import type { OpenPress } from '../open-press.ts';
import type { Settings } from '../settings/settings.ts';

/** Exit codes: the answer is yes; the answer is no, or it failed; the command was used wrongly. */
export const EXIT = { success: 0, no: 1, usage: 2 } as const;

/** What a command is given. */
export interface Invocation {
  readonly words: readonly string[];
  readonly options: Readonly<Record<string, string | boolean | undefined>>;
  readonly settings: Settings;
  readonly open: () => Promise<OpenPress>;
  readonly print: (line: string) => void;
  readonly complain: (line: string) => void;
}

/** One command of the command line. */
export interface Command {
  /** How it is written, after `press`. */
  readonly usage: string;
  readonly what: string;
  /** The most words that it takes. */
  readonly words: number;
  /** Its own options beside `--json`, `--help` and the settings; true for one that takes a value. */
  readonly options: Readonly<Record<string, boolean>>;
  /** Whether it may make a data folder that is not there. */
  readonly begins: boolean;
  /** Runs it and gives the exit code. */
  run(invocation: Invocation): Promise<number>;
}

/** A command that was written wrongly; the message says what is missing. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A word that must be there. */
export function word({ words }: Invocation, index: number, name: string): string {
  const value = words[index];
  if (value === undefined) throw new UsageError(`${name} is missing.`);
  return value;
}

/** Opens the folder, uses it, and closes it. */
export async function withPress(
  { open }: Invocation,
  use: (press: OpenPress) => Promise<number>,
): Promise<number> {
  const press = await open();
  try {
    return await use(press);
  } finally {
    press.close();
  }
}
