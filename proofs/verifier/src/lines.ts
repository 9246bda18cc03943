/** A line with its place and its bytes, the line feed included. */
export interface Line {
  /** From 1. */
  readonly number: number;
  readonly bytes: Uint8Array;
  /** Null when the bytes are no UTF-8. */
  readonly text: string | null;
  /** False for bytes at the end that no line feed follows. */
  readonly whole: boolean;
}

/** The longest line that is read. What is longer is taken for damage, and ends the reading. */
export const LONGEST_LINE = 128 * 1024 * 1024;

const LINE_FEED = 0x0a;

/** Cuts bytes into lines at line feeds and nowhere else: a sentence may hold every other line separator. */
export async function* readLines(
  source: AsyncIterable<Uint8Array>,
  longest = LONGEST_LINE,
): AsyncGenerator<Line> {
  let number = 0;
  let pieces: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of source) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      number += 1;
      yield lineOf(number, [...pieces, chunk.subarray(start, end + 1)], true);
      pieces = [];
      length = 0;
      start = end + 1;
    }
    const rest = chunk.subarray(start);
    if (rest.length > 0) pieces.push(rest);
    length += rest.length;
    if (length > longest) break;
  }
  if (pieces.length > 0) yield lineOf(number + 1, pieces, false);
}

function lineOf(number: number, pieces: readonly Uint8Array[], whole: boolean): Line {
  const [only] = pieces;
  const bytes = pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces);
  return { number, bytes, text: decode(whole ? bytes.subarray(0, -1) : bytes), whole };
}

function decode(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
