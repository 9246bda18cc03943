import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { openBrowser } from './chromium.ts';
import { saveScreenshot } from './screenshot.ts';

const folder = temporaryFolder();
let server: RunningServer;
let browser: Browser;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(folder), openBrowser()]);
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  removeFolder(folder);
});

describe('the landing page', () => {
  it('says what this is, leads to the other pages, and proves that the server answers', async () => {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    await page.goto(`${server.url}/#${server.code('landing')}`);
    expect(page.url()).toBe(`${server.url}/`);
    expect(await page.locator('h1').textContent()).toBe('An assistant said it. Then it changed.');
    const story = await page.locator('.story').textContent();
    for (const words of ['chain of versions', 'must never be spoken', 'nothing here is medical advice']) {
      expect(story).toContain(words);
    }
    expect(
      await page.locator('main a').evaluateAll((links) => links.map((link) => link.getAttribute('href'))),
    ).toEqual(['/device', '/console']);
    expect(await page.locator('#mcp-address').textContent()).toBe(`${server.url}/mcp`);
    await page.locator('[data-testid=proof][data-count="6"]').waitFor();
    expect(await page.getByTestId('proof').textContent()).toContain('6 facts that may be spoken');
    await saveScreenshot(page, 'landing');
    for (const path of ['/device', '/console']) {
      await page.locator(`main a[href="${path}"]`).click();
      await page.waitForURL(`${server.url}${path}`);
      await page.goBack();
    }
  });

  it('opened without a code counts nothing', async () => {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.locator('body[data-connection=live]').waitFor();
    expect(await page.getByTestId('proof').isVisible()).toBe(false);
  });
});
