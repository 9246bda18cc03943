/** One word of a sentence and where it stands in it. */
export interface Word {
  readonly text: string;
  /** Index of its first character. */
  readonly start: number;
  /** Index after its last character. */
  readonly end: number;
}

/** The words of a text, in order: whatever stands between white space, punctuation included. */
export function wordsOf(text: string): readonly Word[] {
  return [...text.matchAll(/\S+/gu)].map((match) => ({
    text: match[0],
    start: match.index,
    end: match.index + match[0].length,
  }));
}

/** The index of the word that holds or follows a character; the last word past the end; -1 without words. */
export function wordAt(words: readonly Word[], character: number): number {
  const index = words.findIndex(({ end }) => character < end);
  return index === -1 ? words.length - 1 : index;
}

/**
 * The index of the first word of the new value in a sentence that takes an older one back, so that it can be
 * told whether a person who heard only part of it has heard the new value begin. The sentence names the old
 * words first. Where the value does not stand in it, the whole sentence has to be heard.
 */
export function firstWordOfNewValue(sentence: string, value: string): number {
  const words = wordsOf(sentence);
  const at = value === '' ? -1 : sentence.lastIndexOf(value);
  return at === -1 ? words.length : wordAt(words, at);
}
