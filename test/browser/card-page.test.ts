/// <reference lib="dom" />
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { openBrowser } from './chromium.ts';
import { textContrasts } from './contrast.ts';
import { DevicePage } from './device-page.ts';
import { tabOrder } from './keyboard.ts';
import { RecordingProxy } from './recording-proxy.ts';
import { saveScreenshot } from './screenshot.ts';
import { pairingAddress, write } from './served.ts';

const WOUND = 'care://ray/wound';

const folder = temporaryFolder();
let server: RunningServer;
let browser: Browser;
let proxy: RecordingProxy;
let context: BrowserContext;
/** What the browser complained of. */
let complaints: string[];

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(folder), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  removeFolder(folder);
});

beforeEach(async () => {
  complaints = [];
  proxy = await RecordingProxy.before(server.url);
  context = await browser.newContext({ proxy: proxy.setting, reducedMotion: 'reduce' });
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
});

afterEach(async () => {
  await context.close();
  await proxy.close();
});

/** The same file as in a host, opened by itself with the code of a device. */
async function open(): Promise<DevicePage> {
  const address = (await pairingAddress(server, 'device')).replace('/device#', '/card#');
  const card = await DevicePage.open(context, address, 'stub');
  await card.connection('live');
  return card;
}

async function expectContrast({ page }: DevicePage): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const texts = await textContrasts(page);
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
  }
}

describe('the card, opened as a page', () => {
  it('asks its own server and nobody else, and takes back what is corrected', async () => {
    const card = await open();
    expect(card.page.url()).toBe(`${server.url}/card`);
    expect(await card.page.getByTestId('fact').count()).toBe(6);
    await card.say(WOUND);
    await card.state('speaking', WOUND);
    await card.reach(2);
    await write(server, WOUND, 'Keep the dressing dry until Friday.');
    await card.state('retracting', WOUND);
    const [before, cancelled, retraction = ''] = await card.voiceCalls();
    expect(before).toMatch(/^speak /);
    expect(cancelled).toBe('cancel');
    expect(retraction).toContain('“Keep the dressing dry until Friday.”');
    await card.finish();
    await card.state('done', WOUND);
    await saveScreenshot(card.page, 'card-as-page');

    const paths = new Set(proxy.exchanges.map(({ method, url }) => `${method} ${new URL(url).pathname}`));
    expect(paths).toEqual(new Set(['GET /card', 'POST /pair', 'POST /mcp']));
    expect(proxy.foreign).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('can be read in light and dark and worked with the keyboard, and nothing of it moves', async () => {
    const card = await open();
    const { page } = card;
    expect(await page.locator('html').getAttribute('lang')).toBe('en');
    expect(await page.title()).toBe('Unsay card');
    for (const once of ['h1', 'main', 'body > header']) expect(await page.locator(once).count()).toBe(1);
    await expectContrast(card);
    const { operable, stops } = await tabOrder(page);
    expect(operable.length).toBeGreaterThanOrEqual(8);
    expect(stops).toEqual(operable.map((name) => ({ name, isMarked: true, isInSight: true })));
    await card.say(WOUND);
    await card.state('speaking', WOUND);
    await card.reach(1);
    await expectContrast(card);
    expect(await page.evaluate(() => document.getAnimations().length)).toBe(0);
    await write(server, WOUND, 'Keep the dressing dry until Saturday.');
    await card.state('retracting', WOUND);
    await expectContrast(card);
    expect(complaints).toEqual([]);
  });

  it('says that it is not paired, and stops when it is cut off', async () => {
    const page = await DevicePage.open(context, `${server.url}/card`);
    await page.connection('unpaired');
    expect(await page.page.locator('#connection-notice').textContent()).toContain('pair device');
    await page.page.evaluate(() => sessionStorage.setItem('unsay.device.token', 'of another time'));
    await page.page.reload();
    await page.connection('unpaired');
    expect(await page.page.evaluate(() => sessionStorage.getItem('unsay.device.token'))).toBeNull();
    await page.page.close();
    const card = await open();
    await card.say(WOUND);
    await card.state('speaking', WOUND);
    await card.reach(1);
    await context.route('**/mcp', (route) => route.abort('connectionrefused'));
    await card.connection('offline');
    await card.state('cut', WOUND);
    await expectContrast(card);
  });

  it('runs no other script than its own, and in no frame', async () => {
    const answer = await fetch(`${server.url}/card`);
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/]{43}='; style-src 'sha256-[\w+/]{43}='; connect-src 'self'; /,
    );
    expect(policy).toContain("frame-ancestors 'none'");
    const html = await answer.text();
    expect(html).not.toMatch(/\b(src|href)=/);
    const card = await open();
    const ran = await card.page.evaluate(() => {
      const script = document.createElement('script');
      script.textContent = 'document.title = "another"';
      document.head.append(script);
      return document.title;
    });
    expect(ran).toBe('Unsay card');
    expect(complaints.join()).toContain('Content Security Policy');
  });
});
