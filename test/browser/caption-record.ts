/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** What the caption of a device page showed between two changes. */
export interface Moment {
  readonly state: string;
  readonly engine: string;
  readonly uri: string;
  readonly kind: 'words' | 'retraction';
  /** Index of the word being said, or null. */
  readonly word: number | null;
  /** The text of the one mark, or null. */
  readonly mark: string | null;
  /** The whole sentence on screen. */
  readonly sentence: string;
  /** What the part about the cut says; empty without one. */
  readonly cut: string;
}

declare global {
  interface Window {
    captionRecord: Moment[];
  }
}

/** Keeps every moment of the caption from the page's first on. Call before the page is opened. */
export async function recordCaption(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.captionRecord = [];
    let last = '';
    function look(): void {
      const caption = document.querySelector<HTMLElement>('[data-testid=caption]');
      const words = caption?.querySelector<HTMLElement>('#words');
      if (!caption || !words) return;
      const { state = '', engine = '', uri = '', word = '' } = caption.dataset;
      const marks = [...caption.querySelectorAll('mark')].map(({ textContent }) => textContent);
      const moment: Moment = {
        state,
        engine,
        uri,
        kind: words.dataset.testid === 'retraction' ? 'retraction' : 'words',
        word: word === '' ? null : Number(word),
        mark: marks.length === 0 ? null : marks.join(' and '),
        sentence: (words.textContent ?? '').trim(),
        cut: (caption.querySelector('[data-testid=cut]')?.textContent ?? '').trim(),
      };
      const text = JSON.stringify(moment);
      if (text === last) return;
      last = text;
      window.captionRecord.push(moment);
    }
    const everything = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver(look).observe(document, everything);
  });
}

/** The moments so far, oldest first. */
export function captionMoments(page: Page): Promise<Moment[]> {
  return page.evaluate(() => window.captionRecord);
}
