const MOST_LENGTH = 64;
const MOST_WORDS = 9;
/** A word as people name programs. What is long, or mixes digits with letters or cases, may be a key. */
const WORD = /^(?:[A-Z]?[a-z]{1,14}|[A-Z]{1,6}|[A-Z][a-z]{1,9}(?:[A-Z][a-z]{1,9}|[A-Z]{2,4})|\d{1,3}|v\d)$/;
const NUMBER = /^\d{1,4}(?:\.\d{1,5}){0,3}(?:-[a-z]{1,6}(?:\.\d{1,3})?)?$/;

/** A program's name where it looks like one; otherwise a placeholder. */
export function plainName(value: string): string {
  const parts = value.split(/[ ._@/():+-]+/).filter((part) => part !== '');
  const isPlain =
    value.length <= MOST_LENGTH &&
    parts.length > 0 &&
    parts.length <= MOST_WORDS &&
    parts.every((part) => WORD.test(part));
  return isPlain ? value : '<name>';
}

/** A version where it looks like one; otherwise a placeholder. */
export function plainVersion(value: string): string {
  return NUMBER.test(value) ? value : '<version>';
}

/** The programs that a User-Agent names, with their versions. */
export function plainAgent(value: string): string {
  const products = value.split(/\s+/).slice(0, 6);
  return products
    .map((product) => {
      const [name = '', version] = product.split('/');
      const kept = plainName(name);
      return version === undefined ? kept : `${kept}/${plainVersion(version)}`;
    })
    .join(' ');
}
