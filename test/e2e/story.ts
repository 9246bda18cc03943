import { styleText } from 'node:util';

/** One step of the story. It holds unless it throws. */
export interface Step<W> {
  readonly title: string;
  tell(world: W, page: Page): Promise<void>;
}

/** Where a step tells what happens. */
export interface Page {
  /** A line of the teller's own. */
  say(line: string): void;
  /** The server's own words, as they came. */
  quote(words: string): void;
}

/** Why a step does not hold. */
export class DoesNotHold extends Error {}

/** @throws DoesNotHold unless it is so. */
export function holds(so: boolean, what: string): asserts so {
  if (!so) throw new DoesNotHold(what);
}

/**
 * Tells the steps in order. One that does not hold is said at once; the others are still told, since they may
 * show why. The last line counts those that held.
 *
 * @returns whether all of them held
 */
export async function tellAll<W>(
  steps: readonly Step<W>[],
  world: W,
  print: (line: string) => void,
): Promise<boolean> {
  const page: Page = {
    say: (line) => print(`   ${line}`),
    quote(words) {
      for (const line of words.split('\n')) print(`   ${styled('dim', '│')} ${line}`);
    },
  };
  let held = 0;
  for (const [index, { title, tell }] of steps.entries()) {
    print(styled('bold', `${index + 1}. ${title}`));
    try {
      await tell(world, page);
      held += 1;
      print(`   ${styled('green', 'held')}`);
    } catch (error) {
      const why = error instanceof DoesNotHold ? error.message : String(error);
      print(`   ${styled('red', 'does not hold:')} ${why}`);
    }
    print('');
  }
  const all = steps.length > 0 && held === steps.length;
  print(all ? `${held} steps held` : `${held} of ${steps.length} steps held`);
  return all;
}

/** Waits for something that must come. @throws DoesNotHold when it has not come after a quarter of a minute. */
export async function awaited<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const never = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DoesNotHold(`${what} did not come within 15 s`)), 15_000);
  });
  try {
    return await Promise.race([promise, never]);
  } finally {
    clearTimeout(timer);
  }
}

// Colours are left out by themselves where standard output is no terminal or NO_COLOR is set.
function styled(style: 'bold' | 'green' | 'red' | 'dim', text: string): string {
  return styleText(style, text, { stream: process.stdout });
}
