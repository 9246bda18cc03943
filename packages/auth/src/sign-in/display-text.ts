const MAX_CHARACTERS = 64;

// Control characters, line breaks, lone surrogates, and what turns the direction of the text around it: with them a
// name could pretend to be part of the page that shows it.
const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

/** Whether the value can be shown as the name of a person or a thing: 1 to 64 characters that stay in their line. */
export function isDisplayText(value: unknown): value is string {
  if (typeof value !== 'string' || value.trim() === '') return false;
  // Counted only when short enough in UTF-16 units, so that a long text costs nothing.
  return value.length <= 2 * MAX_CHARACTERS && [...value].length <= MAX_CHARACTERS && !UNFIT.test(value);
}
