/// <reference lib="dom" />
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { openBrowser } from './chromium.ts';
import { textContrasts } from './contrast.ts';
import { tabOrder } from './keyboard.ts';
import { application, openPerson } from './person.ts';
import { pairingAddress } from './served.ts';

const folder = temporaryFolder();
let server: RunningServer;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(folder), openBrowser()]);
}, 120_000);

afterAll(async () => {
  await browser.close();
  await server.stop();
  removeFolder(folder);
});

beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: 'reduce' });
});

afterEach(() => context.close());

async function expectReadable(page: Page, names: readonly string[]): Promise<void> {
  for (const once of ['h1', 'main', 'body > header']) expect(await page.locator(once).count()).toBe(1);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const texts = await textContrasts(page);
    expect(texts.length).toBeGreaterThan(3);
    expect(texts.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
  }
  const { operable, stops } = await tabOrder(page);
  expect(operable).toEqual(names);
  expect(stops).toEqual(names.map((name) => ({ name, isMarked: true, isInSight: true })));
}

/** How a button looks and how tall it is; not its words, and so not its width. */
function weight(page: Page, testId: string): Promise<unknown> {
  return page.getByTestId(testId).evaluate((button) => {
    const { color, backgroundColor, borderColor, fontSize, fontWeight } = getComputedStyle(button);
    return [color, backgroundColor, borderColor, fontSize, fontWeight, button.getBoundingClientRect().height];
  });
}

it('sign-in and consent can be read and used by keyboard, and refusing is as easy as allowing', async () => {
  const enrolled = await openPerson(context, await pairingAddress(server, 'console'));
  await enrolled.page.getByTestId('add-passkey').click();
  await enrolled.page.getByTestId('passkey-said').getByText('Added.').waitFor();
  const credentials = await enrolled.authenticator.credentials();

  const { address } = await application(server, 'Helper');
  const { page } = await openPerson(context, address, credentials);
  await page.getByTestId('use-passkey').waitFor();
  await expectReadable(page, ['Unsay', 'Use a passkey', 'Refuse']);
  expect(await weight(page, 'use-passkey')).toEqual(await weight(page, 'refuse'));
  await page.getByTestId('use-passkey').click();
  await page.getByTestId('allow').waitFor();
  await expectReadable(page, ['Unsay', 'subject-ray', 'Allow', 'Refuse']);
  expect(await weight(page, 'allow')).toEqual(await weight(page, 'refuse'));
});

it('a person without a passkey is told how to get one, and nothing is sent on', async () => {
  const { page } = await openPerson(context, (await application(server, 'Helper')).address);
  const sent: string[] = [];
  page.on('request', (request) => sent.push(request.url()));
  await page.getByTestId('use-passkey').click();
  await page.getByTestId('said').getByText('No passkey was used').waitFor();
  expect(await page.locator('main').textContent()).toContain('No passkey here yet?');
  expect(sent.filter((address) => /\/(passkey|allow)$/.test(address))).toEqual([]);
});

it('a person who does not touch the authenticator adds no passkey, and is told so', async () => {
  const { page, authenticator } = await openPerson(context, await pairingAddress(server, 'console'));
  await authenticator.touched(false);
  await page.getByTestId('add-passkey').click();
  await page.getByTestId('passkey-said').getByText('Nothing was added').waitFor();
  expect(await authenticator.credentials()).toEqual([]);
});

it('a page whose server has gone says so, at its start and at a step', async () => {
  const { page } = await openPerson(context, (await application(server, 'Helper')).address);
  await page.getByTestId('refuse').waitFor();
  await context.route(/\/interaction\/[^/]+\/.+/, (route) => route.abort('connectionrefused'));
  await page.getByTestId('refuse').click();
  await page.getByTestId('said').getByText('The server does not answer').waitFor();
  await page.reload();
  await page.getByTestId('told').getByText('The server does not answer').waitFor();
  await expectReadable(page, ['Unsay']);
});
