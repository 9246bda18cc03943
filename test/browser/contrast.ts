/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** A text on a page, and how it stands out from what is behind it. */
export interface TextContrast {
  readonly text: string;
  readonly colour: string;
  readonly background: string;
  /** WCAG 2.2 contrast ratio, from 1 to 21. */
  readonly ratio: number;
  /** What level AA asks of it: 3 for large text, else 4.5. */
  readonly needed: number;
}

/** Every text that can be seen on the page now, fields included. */
export function textContrasts(page: Page): Promise<TextContrast[]> {
  return page.evaluate(measure);
}

/** Runs in the page, so everything it needs is inside. Opaque layers only: the pages have no images behind text. */
function measure(): TextContrast[] {
  type Colour = readonly [red: number, green: number, blue: number, alpha: number];
  const CLEAR: Colour = [0, 0, 0, 0];

  function parse(css: string): Colour {
    const [red = 0, green = 0, blue = 0, alpha = 1] = (css.match(/[\d.]+/g) ?? []).map(Number);
    if (!/^rgba?\(/.test(css)) throw new Error(`a colour of a kind that is not known: ${css}`);
    return [red, green, blue, alpha];
  }
  function over([red, green, blue, alpha]: Colour, under: Colour): Colour {
    const mix = (upper: number, lower: number): number => upper * alpha + lower * (1 - alpha);
    return [mix(red, under[0]), mix(green, under[1]), mix(blue, under[2]), mix(1, under[3])];
  }
  function behind(element: Element | null): Colour {
    if (element === null) return [255, 255, 255, 1];
    const own = parse(getComputedStyle(element).backgroundColor);
    // What stands in front of the page has nothing of its parents behind it.
    const isOnTop = element.matches('dialog[open]');
    return own[3] === 1 ? own : over(own, isOnTop ? CLEAR : behind(element.parentElement));
  }
  function luminance([red, green, blue]: Colour): number {
    const linear = (value: number): number =>
      value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4;
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
  }
  function isSeen(element: Element): boolean {
    if (element.closest('.hidden-from-sight, noscript') !== null) return false;
    const { width, height } = element.getBoundingClientRect();
    return (
      width > 0 && height > 0 && element.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    );
  }
  function contrastOf(element: Element, text: string): TextContrast {
    const { color, fontSize, fontWeight, opacity } = getComputedStyle(element);
    if (opacity !== '1') throw new Error(`text that lets light through is not measured: ${text}`);
    const ground = behind(element);
    const [lighter, darker] = [luminance(over(parse(color), ground)), luminance(ground)].sort(
      (a, b) => b - a,
    );
    const size = Number.parseFloat(fontSize);
    const isLarge = size >= 24 || (size >= 18.66 && Number(fontWeight) >= 700);
    return {
      text,
      colour: color,
      background: `rgb(${ground.slice(0, 3).map(Math.round).join(', ')})`,
      ratio: ((lighter ?? 1) + 0.05) / ((darker ?? 0) + 0.05),
      needed: isLarge ? 3 : 4.5,
    };
  }

  const found: TextContrast[] = [];
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null; node = texts.nextNode()) {
    const text = (node.textContent ?? '').trim();
    const element = node.parentElement;
    if (text !== '' && element !== null && isSeen(element)) found.push(contrastOf(element, text));
  }
  for (const field of document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input, textarea')) {
    if (isSeen(field)) found.push(contrastOf(field, field.value));
  }
  return found;
}
