/// <reference lib="dom" />
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { openBrowser } from './chromium.ts';
import { textContrasts } from './contrast.ts';
import { DevicePage } from './device-page.ts';
import { tabOrder } from './keyboard.ts';
import { RecordingProxy } from './recording-proxy.ts';
import { pairingAddress, write } from './served.ts';

const WOUND = 'care://ray/wound';

const folder = temporaryFolder();
let server: RunningServer;
let browser: Browser;
let proxy: RecordingProxy;
let context: BrowserContext;
/** What the browser complained of, on any page. */
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
  // Colours that are still changing could not be measured.
  context = await browser.newContext({ proxy: proxy.setting, reducedMotion: 'reduce' });
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  await context.exposeBinding('complain', (_source, complaint: string) => complaints.push(complaint));
  await context.addInitScript(() => {
    const { complain } = window as unknown as { complain(complaint: string): void };
    addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      complain(`${violatedDirective} refused ${blockedURI}`);
    });
  });
});

afterEach(async () => {
  await context.close();
  await proxy.close();
});

async function open(name: 'device' | 'console' | 'landing'): Promise<Page> {
  const page = await context.newPage();
  await page.goto(await pairingAddress(server, name));
  await page.locator('body[data-connection=live]').waitFor();
  return page;
}

async function expectContrast(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const texts = await textContrasts(page);
    expect(texts.length).toBeGreaterThan(10);
    expect(texts.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
  }
}

/** Titles, landmarks and names, for whoever does not see the page. */
async function expectStructure(page: Page): Promise<void> {
  expect(await page.locator('html').getAttribute('lang')).toBe('en');
  expect(await page.title()).toMatch(/^Unsay/);
  for (const once of ['h1', 'main', 'body > header']) expect(await page.locator(once).count()).toBe(1);
  const unnamed = await page
    .locator('input, textarea, select, button, a, section, dialog')
    .evaluateAll((all) => {
      const named = (each: Element): string | null | undefined =>
        each.getAttribute('aria-label') ??
        document.getElementById(each.getAttribute('aria-labelledby') ?? '')?.textContent ??
        ('labels' in each ? (each as HTMLInputElement).labels?.[0]?.textContent : null) ??
        (each.matches('button, a, [role=status]') ? each.textContent : null);
      return all
        .filter((each) => each.checkVisibility() && !named(each)?.trim())
        .map(({ outerHTML }) => outerHTML);
    });
  expect(unnamed).toEqual([]);
}

/** No complaint of the browser's, and nothing asked of anyone but the server. */
function expectQuiet(): void {
  expect(proxy.exchanges.length).toBeGreaterThan(3);
  expect(proxy.foreign).toEqual([]);
  expect(complaints).toEqual([]);
}

describe('for everyone who opens it', () => {
  it('the landing page can be read, in light and dark', async () => {
    const page = await open('landing');
    await page.getByTestId('proof').waitFor();
    await expectStructure(page);
    await expectContrast(page);
    expectQuiet();
  });

  it('the device page can be read, whatever it is doing', async () => {
    const device = await DevicePage.open(context, await pairingAddress(server, 'device'), 'stub');
    await device.connection('live');
    await expectStructure(device.page);
    await expectContrast(device.page);
    const { operable, stops } = await tabOrder(device.page);
    expect(operable.length).toBeGreaterThanOrEqual(9);
    expect(stops).toEqual(operable.map((name) => ({ name, isMarked: true, isInSight: true })));

    await device.say(WOUND);
    await device.state('speaking', WOUND);
    await expectContrast(device.page);
    const release = await device.holdReads();
    await write(server, WOUND, 'Keep the dressing dry until Friday.');
    await device.state('cut', WOUND);
    await expectContrast(device.page);
    await release();
    await device.state('retracting', WOUND);
    await expectContrast(device.page);
    await device.finish();
    await device.state('done', WOUND);
    await expectContrast(device.page);
    expectQuiet();

    await context.route('**/mcp', (route) => route.abort('connectionrefused'));
    await server.operate('token-revoke', {
      token: await device.page.evaluate(() => sessionStorage.getItem('unsay.device.token')),
    });
    await device.connection('offline');
    await expectContrast(device.page);
  });

  it('the console can be read, whatever it is doing', async () => {
    const page = await open('console');
    await expectStructure(page);
    await expectContrast(page);
    await page.getByRole('button', { name: 'Edit: Wound' }).click();
    await page.getByTestId('value').fill('Keep the dressing dry until Saturday.');
    await expectStructure(page);
    await expectContrast(page);
    await page.keyboard.press('Escape');
    await page.getByTestId('keep-editing').waitFor();
    await expectContrast(page);
    await page.getByTestId('keep-editing').click();
    await page.getByTestId('publish').click();
    await page.getByTestId('error').waitFor();
    // From the next write on a preview that is under way may be told that the head moved, which a browser logs.
    expectQuiet();
    await write(server, WOUND, 'Keep the dressing dry until Sunday.');
    await page.getByTestId('newer').getByText('until Sunday').waitFor();
    await expectContrast(page);
    await page.getByTestId('author-id').fill('test-nurse');
    await page.getByTestId('publish').click();
    await page.getByTestId('error').getByText('first').waitFor();
    await page.getByTestId('publish').click();
    await page.getByTestId('delivered').waitFor();
    await expectContrast(page);
  });
});

describe('the measures of this test', () => {
  it('find a text that is too faint, and none that is not', async () => {
    const page = await context.newPage();
    await page.setContent(`
      <body style="background: #fff">
        <p style="color: #777">too faint, by very little</p>
        <p style="color: #767676">just enough</p>
        <p style="color: #949494; font-size: 24px">enough for its size</p>
        <p style="color: #fff8; background: #333">through half a colour, enough</p>
        <p style="color: #fff4; background: #333">through a quarter, too little</p>
      </body>`);
    const faint = (await textContrasts(page)).filter(({ ratio, needed }) => ratio < needed);
    expect(faint.map(({ text }) => text)).toEqual([
      'too faint, by very little',
      'through a quarter, too little',
    ]);
  });

  it('notice a request to another host, and what the content security policy refuses', async () => {
    const page = await open('landing');
    await page.evaluate(() => fetch('http://other.example/').catch(() => null));
    expect(complaints.join('\n')).toContain('other.example');
    const bare = await context.newPage();
    await bare.goto('http://another.example/');
    expect(proxy.foreign).toEqual(['GET http://another.example/']);
  });
});
