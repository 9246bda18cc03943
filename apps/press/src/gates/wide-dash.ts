/** A wide dash at an offset. */
export interface WideDash {
  readonly offset: number;
  readonly name: string;
}

// Every dash of Unicode that is drawn wider than a hyphen. The minus sign is none: it is a number's.
const NAMES: ReadonlyMap<string, string> = new Map([
  ['\u2012', 'a figure dash'],
  ['\u2013', 'an en dash'],
  ['\u2014', 'an em dash'],
  ['\u2015', 'a horizontal bar'],
  ['\u2E3A', 'a two-em dash'],
  ['\u2E3B', 'a three-em dash'],
  ['\uFE31', 'a vertical em dash'],
  ['\uFE32', 'a vertical en dash'],
  ['\uFE58', 'a small em dash'],
  ['\uFF0D', 'a full-width hyphen'],
]);
const NAMED: ReadonlyMap<string, string> = new Map([
  ['mdash', '\u2014'],
  ['ndash', '\u2013'],
  ['horbar', '\u2015'],
]);
const DASH =
  /[\u2012-\u2015\u2E3A\u2E3B\uFE31\uFE32\uFE58\uFF0D]|&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|([a-z]+));/giu;

/** Every wide dash in a text, as a character or as a character reference, in order. */
export function findWideDashes(text: string): readonly WideDash[] {
  return [...text.matchAll(DASH)].flatMap(({ 0: found, 1: hex, 2: decimal, 3: name, index }) => {
    const number = hex === undefined ? decimal && Number(decimal) : Number.parseInt(hex, 16);
    const spelled = name === undefined ? fromNumber(number) : NAMED.get(name);
    const dash = NAMES.get(found) ?? NAMES.get(spelled ?? '');
    return dash === undefined ? [] : [{ offset: index, name: dash }];
  });
}

function fromNumber(number: number | string | undefined): string | undefined {
  return typeof number === 'number' && number <= 0x10ffff ? String.fromCodePoint(number) : undefined;
}
