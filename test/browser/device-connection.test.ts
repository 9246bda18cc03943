/// <reference lib="dom" />
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { openBrowser } from './chromium.ts';
import { DevicePage } from './device-page.ts';
import { pairingAddress, served, write } from './served.ts';

const WOUND = 'care://ray/wound';
const TOKEN = 'unsay.device.token';

const folder = temporaryFolder();
/** It stands still, so that a sentence with an age in it is the same whenever it is asked for. */
const clock = new ClockFile();
const settings = { UNSAY_CLOCK: clock.setting };
let server: RunningServer;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(folder, settings), openBrowser()]);
  context = await browser.newContext();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  removeFolder(folder);
  clock.remove();
});

/** A live device whose voice is in the middle of the wound's sentence. */
async function speaking(): Promise<DevicePage> {
  const device = await DevicePage.open(context, await pairingAddress(server, 'device'), 'stub');
  await device.connection('live');
  await device.say(WOUND);
  await device.state('speaking', WOUND);
  await device.reach(4);
  await device.word(WOUND, 4);
  return device;
}

async function expectSilence(device: DevicePage): Promise<void> {
  await device.state('cut', WOUND);
  expect((await device.voiceCalls()).at(-1)).toBe('cancel');
  expect(await device.caption.locator('mark').count()).toBe(0);
  expect(await device.caption.getByTestId('cut').textContent()).toContain('The connection was lost');
}

describe('a device page without a right to read', () => {
  it.each([
    ['no code', '', 'This page is not paired yet'],
    ['a code that was never given', '#never-given-code', 'unknown, was used, or is older than 10 minutes'],
  ])('opened with %s says so and what to run, and shows nothing', async (_what, fragment, words) => {
    const device = await DevicePage.open(context, `${server.url}/device${fragment}`);
    await device.connection('unpaired');
    const notice = await device.page.locator('#connection-notice').textContent();
    expect(notice).toContain(words);
    expect(notice).toContain('npm run --silent unsay -- pair device');
    expect(await device.page.getByTestId('fact').count()).toBe(0);
    expect(await device.page.getByTestId('say-all').getAttribute('aria-disabled')).toBe('true');
    await device.page.close();
  });

  it('whose code was used already is told so', async () => {
    const address = await pairingAddress(server, 'device');
    const first = await DevicePage.open(context, address);
    await first.connection('live');
    const second = await DevicePage.open(context, address);
    await second.connection('unpaired');
    expect(await second.page.locator('#connection-notice').textContent()).toContain('was used');
    await first.page.close();
    await second.page.close();
  });

  it('whose token is revoked stops in mid-sentence and forgets everything', async () => {
    const device = await speaking();
    const token = await device.page.evaluate((key) => sessionStorage.getItem(key), TOKEN);
    const { code } = await server.unsay('token', 'revoke', token ?? '');
    expect(code).toBe(0);
    await device.connection('unpaired');
    await expectSilence(device);
    expect(await device.page.getByTestId('fact').count()).toBe(0);
    expect(await device.page.evaluate((key) => sessionStorage.getItem(key), TOKEN)).toBeNull();
    await device.page.close();
  });
});

describe('a device page and a server that goes', () => {
  it('that never answered says so, and goes live by itself once it answers', async () => {
    const own = await browser.newContext();
    const silence = '**/{pair,mcp}';
    await own.route(silence, (route) => route.abort('connectionrefused'));
    const device = await DevicePage.open(own, await pairingAddress(server, 'device'));
    await device.connection('offline');
    const notice = await device.page.locator('#connection-notice').textContent();
    expect(notice).toContain(`No server is answering at ${server.url}`);
    expect(notice).toContain('Nothing on this page is live.');
    expect(await device.caption.textContent()).toContain(
      'Nothing can be said before this page is connected.',
    );
    expect(await device.page.getByTestId('say-all').getAttribute('aria-disabled')).toBe('true');
    expect(await device.page.getByTestId('fact').count()).toBe(0);
    await own.unroute(silence);
    await device.connection('live');
    await own.close();
  });

  it('falls silent when it is killed, and takes back what was heard when it is there again', async () => {
    const device = await speaking();
    const before = await served(server, WOUND);
    const others = device.page.locator('[data-testid=fact]:not([data-standing=unconfirmed])');
    expect(await others.count()).toBe(6);
    await server.kill();
    await device.connection('offline');
    await expectSilence(device);
    expect(await others.count()).toBe(0);
    expect(await device.page.locator('#connection-label').textContent()).toBe('Not connected');
    expect(await device.page.locator('#connection-notice').textContent()).toContain('may be out of date');
    await device.fact(WOUND).getByTestId('say').click({ force: true });
    expect((await device.voiceCalls()).at(-1)).toBe('cancel');

    const value = 'Keep the dressing dry. The nurse changes it on Thursday.';
    const written = await server.unsay('write', WOUND, '--value', value, '--author', 'demo-nurse');
    expect(written).toMatchObject({ code: 0 });
    server = await startServer(folder, { ...settings, UNSAY_PORT: new URL(server.url).port });
    await device.connection('live');
    await device.version(WOUND, before.version + 1);
    await device.state('retracting', WOUND);
    const { meta } = await served(server, WOUND);
    expect((await device.voiceCalls()).at(-1)).toBe(`speak ${meta['unsay/retraction']}`);
    expect(meta['unsay/retraction']).toContain(`“${before.text}”`);
    await device.finish();
    await device.state('done', WOUND);
    // And it hears of what comes next.
    await write(server, WOUND, 'The dressing is off.');
    await device.state('retracting', WOUND);
    await device.page.close();
  });
});
