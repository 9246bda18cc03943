/// <reference lib="dom" />
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modernHeaders, modernMessage, post } from '../harness/raw-mcp.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { openBrowser } from './chromium.ts';
import { DevicePage } from './device-page.ts';
import { documentRecord, keptBy, piecesIn, recordDocument, type Secret, topicsIn } from './leak-scan.ts';
import { RecordingProxy } from './recording-proxy.ts';
import { owned, pairingAddress, served, write } from './served.ts';

const WEIGHT = 'care://ray/weight_bearing';
const INTERNAL = ['care-internal://ray/risk', 'care-internal://ray/family'];
const CHANGED = 'Internal, do not say: a second opinion about the stairs was asked for on Monday.';

const folder = temporaryFolder();
let server: RunningServer;
let browser: Browser;
/** What the internal facts said before and after a correction. */
const secrets: Secret[] = [];
/** The server's words to every host, whoever it is; they name the scheme of internal facts, and no fact. */
let instructions: string;
/** All that is said of the plan to those who may hear it. */
const known: string[] = ['your care team'];

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(folder), openBrowser()]);
  await learnSecrets();
  instructions = await instructionsFor('care.read.user');
  for (const topic of ['anticoagulant', 'exercises', 'gait', 'hip_precautions', 'weight_bearing', 'wound']) {
    const { text, meta } = await served(server, `care://ray/${topic}`);
    known.push(text, String(meta['unsay/retraction'] ?? ''), String(meta['unsay/author']));
  }
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  removeFolder(folder);
});

/** A page whose traffic, document and storage can be searched. */
interface Traced {
  readonly context: BrowserContext;
  readonly proxy: RecordingProxy;
}

async function traced(): Promise<Traced> {
  const proxy = await RecordingProxy.before(server.url);
  return { proxy, context: await browser.newContext({ proxy: proxy.setting }) };
}

async function end({ context, proxy }: Traced): Promise<void> {
  await context.close();
  await proxy.close();
}

/** Everything that a page was sent, sent, showed and kept; by the name of the place. */
async function tracesOf(page: Page, { proxy }: Traced): Promise<Record<string, string>> {
  const wire = (isAsset: boolean): string =>
    proxy.exchanges
      .filter(({ url }) => new URL(url).pathname.startsWith('/assets/') === isAsset)
      .map(({ method, url, sent, answered }) => `${method} ${url}\n${sent.text}\n${answered.text}`)
      .join('\n');
  const document = (await documentRecord(page)).join('\n');
  // As they are inside JSON.
  const sayings = wire(false).replaceAll(JSON.stringify(instructions), '');
  return { wire: sayings, assets: wire(true), document, ...(await keptBy(page)) };
}

/** Where anything of the internal facts is found, and what. */
function search(traces: Readonly<Record<string, string>>): Record<string, string[]> {
  const found = Object.entries(traces).map(([place, text]): [string, string[]] => {
    // Bundles and style sheets hold no facts and are the same for everyone; "font-family" is no topic.
    const topics = place === 'assets' ? [] : topicsIn(text, secrets);
    return [place, [...piecesIn(text, secrets, known), ...topics]];
  });
  return Object.fromEntries(found.filter(([, pieces]) => pieces.length > 0));
}

describe('what may never be spoken', () => {
  it('is not hinted at by the instructions, which are the same for everyone', async () => {
    expect(await instructionsFor('care.read.user care.read.assistant')).toBe(instructions);
    expect(topicsIn(instructions, secrets)).toEqual([]);
  });

  it('is found nowhere on a device, at no time', async () => {
    const trace = await traced();
    const device = await DevicePage.open(trace.context, 'about:blank', 'stub');
    await recordDocument(device.page);
    await device.page.goto(await pairingAddress(server, 'device'));
    await device.connection('live');
    await device.say(WEIGHT);
    await device.state('speaking', WEIGHT);
    await device.reach(3);
    for (const uri of INTERNAL) await write(server, uri, CHANGED);
    // It is announced after the two, so when it has come they would have.
    await write(server, WEIGHT, 'Full weight-bearing: both legs.');
    await device.state('retracting', WEIGHT);
    await device.finish();
    await device.state('done', WEIGHT);
    await learnSecrets();

    const traces = await tracesOf(device.page, trace);
    const updates = [...(traces.wire ?? '').matchAll(/notifications\/resources\/updated.*/g)].map(String);
    expect(updates).toHaveLength(1);
    expect(updates[0]).toContain(WEIGHT);
    expect(traces.document).toContain('Taking it back');
    expect(search(traces)).toEqual({});
    await device.page.reload();
    await device.connection('live');
    expect(search(await tracesOf(device.page, trace))).toEqual({});
    expect(trace.proxy.foreign).toEqual([]);
    await end(trace);
  });

  it('is found by the same search on a console, where it belongs', async () => {
    await learnSecrets();
    const trace = await traced();
    const page = await trace.context.newPage();
    await recordDocument(page);
    await page.goto(await pairingAddress(server, 'console'));
    await page.locator('body[data-connection=live]').waitFor();
    const found = search(await tracesOf(page, trace));
    for (const place of ['wire', 'document']) {
      expect(found[place]).toEqual(expect.arrayContaining(['a second opinion', 'risk', 'family']));
    }
    await end(trace);
  });

  it('would be found in every place where a page can keep something', async () => {
    const trace = await traced();
    const page = await trace.context.newPage();
    await recordDocument(page);
    await page.goto(server.url);
    await page.evaluate(plant, CHANGED);
    const found = search(await tracesOf(page, trace));
    expect(Object.keys(found).sort()).toEqual([
      'address',
      'caches',
      'cookies',
      'indexedDB',
      'localStorage',
      'sessionStorage',
    ]);
    await end(trace);
  });
});

async function instructionsFor(scope: string): Promise<string> {
  const headers = modernHeaders(await server.mint(scope), 'server/discover');
  const answer = await post(server.url, modernMessage('server/discover', {}), headers);
  return ((await answer.json()) as { result: { instructions: string } }).result.instructions;
}

/** What the internal facts say now joins what must not be found. */
async function learnSecrets(): Promise<void> {
  for (const uri of INTERNAL) {
    const { value, author, versionHash } = await owned(server, uri);
    secrets.push({ uri, values: [value], marks: [versionHash, ...(known.includes(author) ? [] : [author])] });
  }
}

/** Puts a text wherever a page can put one. Runs in the page. */
async function plant(text: string): Promise<void> {
  localStorage.setItem('key', text);
  sessionStorage.setItem('key', text);
  await cookieStore.set('key', text);
  history.replaceState(text, '');
  await (await caches.open('cache')).put('/kept', new Response(text));
  await new Promise<void>((resolve, reject) => {
    const opening = indexedDB.open('database');
    opening.onerror = () => reject(opening.error);
    opening.onupgradeneeded = () => opening.result.createObjectStore('store').put(text, 'key');
    opening.onsuccess = () => {
      opening.result.close();
      resolve();
    };
  });
}
