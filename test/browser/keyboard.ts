/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** Something that has the focus. */
export interface FocusStop {
  /** What it is called. */
  readonly name: string;
  /** Whether a person can see that it has the focus. */
  readonly isMarked: boolean;
  /** Whether it can be seen itself: in sight, with nothing before it. */
  readonly isInSight: boolean;
}

/** What the Tab key reaches, from the top of a page or of its open dialog. */
export interface TabOrder {
  /** The names of everything that can be operated, in the order of the document. */
  readonly operable: readonly string[];
  /** What had the focus, one thing after another, as often as there is something to operate. */
  readonly stops: readonly FocusStop[];
}

/** A field for a date and time has as many stops of its own. */
const STOPS_IN_A_FIELD = 8;

/** Presses Tab until the focus has moved on, once for each thing that can be operated. */
export async function tabOrder(page: Page): Promise<TabOrder> {
  const operable = await page.evaluate(fromTheTop);
  const stops: FocusStop[] = [];
  for (const _ of operable) {
    let next = await pressTab(page);
    for (let more = 1; more < STOPS_IN_A_FIELD && next.name === stops.at(-1)?.name; more += 1) {
      next = await pressTab(page);
    }
    stops.push(next);
  }
  return { operable, stops };
}

/** Presses Tab until the focus is on what has this name. */
export async function tabTo(page: Page, name: string): Promise<void> {
  for (const _ of await page.evaluate(fromTheTop)) {
    if ((await pressTab(page)).name === name) return;
  }
  throw new Error(`the Tab key does not reach “${name}”`);
}

async function pressTab(page: Page): Promise<FocusStop> {
  await page.keyboard.press('Tab');
  return page.evaluate(focusStop);
}

/** Puts the focus before everything, and names what can be operated. Runs in the page. */
function fromTheTop(): string[] {
  const top = document.querySelector<HTMLElement>('dialog[open]') ?? document.body;
  top.tabIndex = -1;
  top.focus();
  top.removeAttribute('tabindex');
  return [...top.querySelectorAll<HTMLElement>('a[href], button, input, textarea, select, [tabindex="0"]')]
    .filter((each) => each.checkVisibility())
    .map((each) => each.getAttribute('aria-label') ?? (each.id || (each.textContent ?? '').trim()));
}

/** Describes what has the focus. Runs in the page. */
function focusStop(): FocusStop {
  const focused = document.activeElement ?? document.body;
  const { outlineStyle, outlineWidth } = getComputedStyle(focused);
  const { left, top, width, height } = focused.getBoundingClientRect();
  const above = document.elementFromPoint(left + width / 2, top + height / 2);
  return {
    name: focused.getAttribute('aria-label') ?? (focused.id || (focused.textContent ?? '').trim()),
    isMarked: outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2,
    isInSight: above !== null && focused.contains(above),
  };
}
