/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/** A fact that a page must know nothing of. */
export interface Secret {
  readonly uri: string;
  /** Everything it says, or has said. */
  readonly values: readonly string[];
  /** What else would give it away: hashes, its author. */
  readonly marks: readonly string[];
}

/** How many words in a row count as a piece of a value: fewer occur in any text. */
const RUN = 3;

/**
 * What of the secrets is found in a text, whatever its case and punctuation: any three words in a row of a
 * value, a mark, or the whole URI's scheme. `known` is what the page may know: a run that occurs there says
 * nothing.
 */
export function piecesIn(text: string, secrets: readonly Secret[], known: readonly string[]): string[] {
  const words = ` ${plain(text)} `;
  const allowed = ` ${known.map(plain).join(' | ')} `;
  const wanted = new Set(
    secrets.flatMap(({ values, marks }) => ['care internal', ...values.flatMap(runsOf), ...marks.map(plain)]),
  );
  return [...wanted].filter((piece) => !allowed.includes(` ${piece} `) && words.includes(` ${piece} `));
}

/** The names of the secrets' topics that occur in a text as words. */
export function topicsIn(text: string, secrets: readonly Secret[]): string[] {
  const words = ` ${plain(text)} `;
  const topics = secrets.map(({ uri }) => plain(uri.split('/')[3] ?? uri));
  return topics.filter((topic) => words.includes(` ${topic} `));
}

function plain(text: string): string {
  return text
    .replace(/\\[nrt"]/g, ' ')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();
}

function runsOf(value: string): string[] {
  const words = plain(value).split(' ');
  return words.slice(RUN - 1).map((_, index) => words.slice(index, index + RUN).join(' '));
}

declare global {
  interface Window {
    documentRecord: Set<string>;
  }
}

/** Keeps every state of a page's document. Call before the page is opened. */
export async function recordDocument(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.documentRecord = new Set();
    const everything = { subtree: true, childList: true, attributes: true, characterData: true };
    new MutationObserver(() => {
      const typed = [...document.querySelectorAll('input, textarea')].map((field) =>
        'value' in field ? String(field.value) : '',
      );
      window.documentRecord.add(`${document.documentElement.outerHTML}\n${typed.join('\n')}`);
    }).observe(document, everything);
  });
}

/** Every state that the document has had. */
export function documentRecord(page: Page): Promise<string[]> {
  return page.evaluate(() => [...window.documentRecord]);
}

/** All that a page has put, or could have put, where it outlives a moment; by the name of the place. */
export async function keptBy(page: Page): Promise<Record<string, string>> {
  const cookies = JSON.stringify(await page.context().cookies());
  const kept = await page.evaluate(async () => {
    async function databases(): Promise<unknown[]> {
      const all: unknown[] = [];
      for (const { name = '' } of await indexedDB.databases()) {
        const database = await result(indexedDB.open(name));
        for (const store of database.objectStoreNames) {
          const objects = database.transaction(store).objectStore(store);
          all.push(name, store, await result(objects.getAllKeys()), await result(objects.getAll()));
        }
        database.close();
      }
      return all;
    }
    function result<T>(request: IDBRequest<T>): Promise<T> {
      return new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    }
    /** By its own methods: an item that is named like one of them is no property. */
    function items(storage: Storage): [string, string | null][] {
      return [...Array(storage.length).keys()].map((index) => {
        const key = storage.key(index) ?? '';
        return [key, storage.getItem(key)];
      });
    }
    async function cached(): Promise<string[]> {
      const all: string[] = [];
      for (const name of await caches.keys()) {
        const cache = await caches.open(name);
        for (const request of await cache.keys()) {
          all.push(name, request.url, (await (await cache.match(request))?.text()) ?? '');
        }
      }
      return all;
    }
    const workers = await navigator.serviceWorker.getRegistrations();
    return {
      localStorage: JSON.stringify(items(localStorage)),
      sessionStorage: JSON.stringify(items(sessionStorage)),
      indexedDB: JSON.stringify(await databases()),
      caches: JSON.stringify(await cached()),
      serviceWorkers: JSON.stringify(workers.map(({ scope }) => scope)),
      address: `${location.href} ${JSON.stringify(history.state)} ${window.name}`,
    };
  });
  return { ...kept, cookies };
}
