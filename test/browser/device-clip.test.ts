/// <reference lib="dom" />
import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { send, signed, writeBody } from '../harness/signed-write.ts';
import { openBrowser } from './chromium.ts';
import { textContrasts } from './contrast.ts';
import { DevicePage } from './device-page.ts';
import { tabTo } from './keyboard.ts';
import { saveScreenshot } from './screenshot.ts';
import { pairingAddress, write } from './served.ts';

const EXERCISES = 'care://ray/exercises';
const GAIT = 'care://ray/gait';
const WOUND = 'care://ray/wound';

const folder = temporaryFolder();
let server: RunningServer;
let browser: Browser;
let context: BrowserContext;
let device: DevicePage;
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
  context = await browser.newContext({ reducedMotion: 'reduce' });
  context.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  device = await DevicePage.open(context, await pairingAddress(server, 'device'), 'stub');
  await device.connection('live');
});

afterEach(async () => {
  await context.close();
});

/** Waits until the page says this of a clip. */
async function clip(state: 'playing' | 'stopped', uri: string, reason = ''): Promise<void> {
  await device.page
    .locator(`[data-testid=clip-note][data-state=${state}][data-uri="${uri}"][data-reason="${reason}"]`)
    .waitFor();
}

async function play(uri: string): Promise<void> {
  await device.fact(uri).getByTestId('clip').click();
  await clip('playing', uri);
}

describe('a clip', () => {
  it('is offered where a fact has one, plays with the keyboard alone, and ends by itself', async () => {
    const offered = device.page.locator('[data-testid=fact]:has([data-testid=clip]:visible)');
    expect(await offered.evaluateAll((all) => all.map((each) => (each as HTMLElement).dataset.uri))).toEqual([
      EXERCISES,
      GAIT,
    ]);
    await tabTo(device.page, 'Play the clip: Exercises');
    await device.page.keyboard.press('Enter');
    await clip('playing', EXERCISES);
    expect(await device.fact(EXERCISES).getByTestId('clip').textContent()).toBe('Stop the clip');
    await saveScreenshot(device.page, 'device-clip');
    await device.page.locator('[data-testid=clip-note][data-state=idle]').waitFor({ state: 'attached' });
    expect(await device.fact(EXERCISES).getByTestId('clip').textContent()).toBe('Play the clip');
    expect(complaints).toEqual([]);
  });

  it('stops when a person says so, with its own button and with Stop', async () => {
    await play(GAIT);
    await device.fact(GAIT).getByTestId('clip').click();
    await clip('stopped', GAIT, 'stopped');
    await play(GAIT);
    await device.page.getByTestId('stop').click();
    await clip('stopped', GAIT, 'stopped');
    expect(await device.page.getByTestId('clip-note').textContent()).toContain('you pressed Stop');
  });

  it('stops when words are said, and waits while they are', async () => {
    await play(GAIT);
    await device.say(WOUND);
    await clip('stopped', GAIT, 'speech');
    await device.state('speaking', WOUND);
    expect(await device.fact(GAIT).getByTestId('clip').getAttribute('aria-disabled')).toBe('true');
    await device.finish();
    await device.state('done', WOUND);
    await play(GAIT);
  });

  it('stops at the announcement of a correction, before anything is read, and is offered no more', async () => {
    await play(GAIT);
    const release = await device.holdReads();
    const { version } = await write(server, GAIT, 'Walk 10 minutes.');
    await clip('stopped', GAIT, 'changed');
    expect(await device.page.getByTestId('clip-note').textContent()).toContain('it has just been changed');
    for (const colorScheme of ['light', 'dark'] as const) {
      await device.page.emulateMedia({ colorScheme });
      const texts = await textContrasts(device.page);
      expect(texts.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
    }
    await release();
    await device.version(GAIT, version);
    expect(await device.fact(GAIT).getByTestId('clip').isVisible()).toBe(false);
  });

  it('that is no sound is said to be none, and other bytes are not offered', async () => {
    for (const [mediaType, offered] of [
      ['audio/wav', true],
      ['text/html', false],
    ] as const) {
      const blob = { mediaType, base64: Buffer.from('<script>no sound</script>').toString('base64') };
      const answer = await send(server.url, signed(writeBody(GAIT, `With ${mediaType}.`, { blob })));
      const { version } = (await answer.json()) as { version: number };
      await device.version(GAIT, version);
      expect(await device.fact(GAIT).getByTestId('clip').isVisible()).toBe(offered);
      if (offered) await device.fact(GAIT).getByTestId('clip').click();
      if (offered) await clip('stopped', GAIT, 'unplayable');
    }
    expect(complaints).toEqual([]);
  });
});
