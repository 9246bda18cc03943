/// <reference lib="dom" />
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { send, signed } from '../harness/signed-write.ts';
import { openBrowser } from './chromium.ts';
import { textContrasts } from './contrast.ts';
import { DevicePage } from './device-page.ts';
import { tabOrder, tabTo } from './keyboard.ts';
import { saveScreenshot } from './screenshot.ts';
import { owned, pairingAddress, served, write } from './served.ts';

const WEIGHT = 'care://ray/weight_bearing';
const WOUND = 'care://ray/wound';
const GAIT = 'care://ray/gait';
const RISK = 'care-internal://ray/risk';

const folder = temporaryFolder();
let server: RunningServer;
let browser: Browser;
let context: BrowserContext;
let page: Page;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(folder), openBrowser()]);
  context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: 'reduce' });
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  removeFolder(folder);
});

beforeEach(async () => {
  await page?.close();
  page = await context.newPage();
  await page.goto(await pairingAddress(server, 'console'));
  await page.locator('body[data-connection=live]').waitFor();
});

const fact = (uri: string): Locator => page.locator(`[data-testid=fact][data-uri="${uri}"]`);
const at = (testId: string): Locator => page.getByTestId(testId);
const version = (number: number): Locator =>
  page.locator(`[data-testid=history-version][data-version="${number}"]`);
const focusedName = (): Promise<string | null | undefined> =>
  page.evaluate(() => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.id);

async function edit(uri: string, value?: string): Promise<void> {
  await fact(uri).getByTestId('edit').click();
  if (value !== undefined) await at('value').fill(value);
  await at('author-id').fill('test-clinician');
}

/** Writes something unique, so that what the page shows of it can be waited for. */
async function sentence(words: string): Promise<string> {
  const shown = at('preview-sentence').filter({ hasText: words });
  await shown.waitFor();
  return (await shown.textContent()) ?? '';
}

async function withdrawn(uri: string): Promise<void> {
  const answer = await send(
    server.url,
    signed(JSON.stringify({ uri, withdraw: true, authorId: 'test-ward', authorLabel: 'the ward' })),
  );
  expect(answer.status).toBe(201);
}

async function expectContrast(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const texts = await textContrasts(page);
    expect(texts.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
  }
}

describe('the history of a fact', () => {
  it('has every version, newest first, with its words, age and author’s label, and no author’s id', async () => {
    await tabTo(page, 'History: Weight bearing');
    await page.keyboard.press('Enter');
    await version(1).waitFor();
    const lines = await at('history-version').evaluateAll((all) =>
      all.map((line) => (line as HTMLElement).dataset.version),
    );
    expect(lines).toEqual(['2', '1']);
    expect(await version(2).textContent()).toMatch(
      /Version 2 · \d days? ago by Nadia Osei, physiotherapist · current.*30 kilograms/,
    );
    expect(await version(1).textContent()).toMatch(
      /Version 1 · \d days ago by the surgical team.*20 kilograms/,
    );
    expect(await at('history').textContent()).not.toContain('demo-');
    await saveScreenshot(page, 'console-history');
    await expectContrast();
    const { operable, stops } = await tabOrder(page);
    expect(stops).toEqual(operable.map((name) => ({ name, isMarked: true, isInSight: true })));
    await page.keyboard.press('Escape');
    await at('history').waitFor({ state: 'hidden' });
    expect(await focusedName()).toBe('History: Weight bearing');
  });

  it('begins again when the fact changes, and shows of withdrawn versions that they were and nothing else', async () => {
    const uri = 'care://ray/misfiled';
    await write(server, uri, 'Words that are about someone else.');
    await fact(uri).getByTestId('open-history').click();
    await version(1).waitFor();
    await write(server, uri, 'More words that are about someone else.');
    await version(2).waitFor();
    await withdrawn(uri);
    await version(3).waitFor();
    expect(await version(3).textContent()).toMatch(/by the ward · current.*Withdrawn\./);
    await page.locator('[data-testid=history-version][data-version="1"][data-kind=withdrawn]').waitFor();
    for (const number of [2, 1]) {
      expect(await version(number).textContent()).toBe(
        `Version ${number} · withdrawnIts words are given to nobody.`,
      );
    }
    expect(await at('history').textContent()).not.toContain('someone else');
    await write(server, uri, 'Right words at last.');
    await version(4).waitFor();
    await version(3).waitFor();
    expect(await version(4).textContent()).toContain('Right words at last.');
    expect(await at('history-version').count()).toBe(4);
    await expectContrast();
  });

  it('of many versions is read as far as it is asked for', async () => {
    const uri = 'care://ray/often';
    for (let number = 1; number <= 23; number += 1) await write(server, uri, `Said for the ${number}. time.`);
    await fact(uri).getByTestId('open-history').click();
    await version(3).waitFor();
    expect(await at('history-version').count()).toBe(21);
    await at('history-older').click();
    await version(1).waitFor();
    expect(await at('history-version').count()).toBe(23);
    expect(await at('history-older').isVisible()).toBe(false);
    await at('history-close').click();
    expect(await focusedName()).toBe('History: Often');
  });
});

describe('the preview', () => {
  it('shows the sentences that a listener then hears, word for word', async () => {
    const value = 'Full weight-bearing: both legs.';
    const { version: before } = await owned(server, WEIGHT);
    await edit(WEIGHT, value);
    await at('author-label').fill('the ward');
    const shown = await sentence('by the ward');
    expect(shown).toContain(value);
    expect(await at('preview-spoken').textContent()).toBe(value);
    await saveScreenshot(page, 'console-preview');
    await expectContrast();
    await at('publish').click();
    await at('delivered').waitFor();
    const { version: after, meta } = await served(server, WEIGHT);
    expect([after, meta['unsay/retraction'], meta['unsay/spoken']]).toEqual([before + 1, shown, value]);
  });

  it('asks the server for nothing else, and writes nothing', async () => {
    const before = await owned(server, WOUND);
    const audit = JSON.stringify(await server.operate('audit'));
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await edit(WOUND, 'A thought that is never published.');
    await sentence('never published');
    await page.keyboard.press('Escape');
    await at('discard-confirm').click();
    expect(sent.filter((path) => path !== '/mcp')).not.toContain('/write');
    expect(sent).toContain('/preview');
    expect(await owned(server, WOUND)).toEqual(before);
    expect(JSON.stringify(await server.operate('audit'))).toBe(audit);
  });

  it('is not asked for where nothing is ever spoken', async () => {
    const sent: string[] = [];
    page.on('request', (request) => sent.push(new URL(request.url()).pathname));
    await edit(RISK, 'Internal, do not say: the fall risk is lower now.');
    expect(await at('preview').textContent()).toContain('never spoken');
    await at('publish').click();
    await at('delivered').waitFor();
    expect(sent).toContain('/write');
    expect(sent).not.toContain('/preview');
  });

  it('says that it cannot be had while publishing still can', async () => {
    await page.route('**/preview', (route) => route.abort('connectionrefused'));
    await edit(WOUND, 'Keep the dressing dry.');
    await page.getByText('What listeners will hear cannot be shown: The server did not answer.').waitFor();
    expect(await at('preview-sentence').isVisible()).toBe(false);
    await at('publish').click();
    await at('delivered').waitFor();
    expect(await owned(server, WOUND)).toMatchObject({ value: 'Keep the dressing dry.' });
  });

  it('says that a clip goes with the old words', async () => {
    await edit(GAIT, 'Walk 10 minutes.');
    expect(await at('preview').textContent()).toContain('The clip goes with the old words');
  });
});

describe('withdrawing a fact', () => {
  it('shows first what will be heard, and a device then hears it', async () => {
    const device = await DevicePage.open(context, await pairingAddress(server, 'device'));
    await device.connection('live');
    const { version: before, value } = await owned(server, WOUND);
    await edit(WOUND);
    await at('author-label').fill('the district nurse');
    await at('withdraw').click();
    expect(await focusedName()).toBe('withdraw-cancel');
    const shown = at('withdraw-sentence').filter({ hasText: 'Ask the district nurse.' });
    await shown.waitFor();
    const words = await shown.textContent();
    expect(words).toMatch(/^Stop\. .*Nothing replaces it yet\. Ask the district nurse\.$/);
    expect(words).not.toContain(value);
    await saveScreenshot(page, 'console-withdraw');
    await expectContrast();
    await at('withdraw-confirm').click();
    const line = page.locator(`[data-testid=delivered][data-uri="${WOUND}"][data-version="${before + 1}"]`);
    await line.waitFor();
    expect(await line.getAttribute('data-count')).toBe('1');
    expect(await page.locator('#outcome').textContent()).toContain('Wound: withdrawn.');
    await device.version(WOUND, before + 1);
    expect((await served(server, WOUND)).meta['unsay/retraction']).toBe(words);
    expect(await device.fact(WOUND).textContent()).not.toContain(value);
    await fact(WOUND).getByText('Withdrawn', { exact: true }).waitFor();
    expect(await focusedName()).toBe('Edit: Wound');
    await device.page.close();
  });

  it('is not offered for what is withdrawn, and new words can be said', async () => {
    await edit(WOUND);
    expect(await at('withdraw').isVisible()).toBe(false);
    await at('value').fill('The dressing comes off on Friday.');
    await sentence('Friday');
    await at('publish').click();
    await at('delivered').waitFor();
    await fact(WOUND).getByText('The dressing comes off on Friday.').waitFor();
  });

  it('needs an author, can be left, and says what is lost', async () => {
    const before = await owned(server, GAIT);
    await fact(GAIT).getByTestId('edit').click();
    await at('withdraw').click();
    expect(await at('error').textContent()).toContain('Say who is writing');
    expect(await focusedName()).toBe('author-id');
    await page.keyboard.type('test-physio');
    await at('value').fill('Half a thought');
    await at('withdraw').click();
    expect(await at('withdrawal').textContent()).toContain('What you typed above is thrown away.');
    const { operable, stops } = await tabOrder(page);
    expect(operable).toContain('withdraw-confirm');
    expect(operable).not.toContain('publish');
    expect(stops).toEqual(operable.map((name) => ({ name, isMarked: true, isInSight: true })));
    await at('value').focus();
    await page.keyboard.press('Control+Enter');
    await at('author-id').focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    expect(await at('withdrawal').isVisible()).toBe(false);
    expect(await at('value').inputValue()).toBe('Half a thought');
    expect(await owned(server, GAIT)).toEqual(before);
    await at('withdraw').click();
    await at('withdraw-cancel').click();
    expect(await focusedName()).toBe('value');
    expect(await owned(server, GAIT)).toEqual(before);
  });

  it('does not take back what changed meanwhile, but shows it', async () => {
    await edit(GAIT);
    await at('withdraw').click();
    const { version: newer } = await write(server, GAIT, 'Walk 7 minutes.');
    await at('newer').getByText('Walk 7 minutes.').waitFor();
    await at('withdraw-confirm').click();
    await at('error').waitFor();
    expect(await at('error').textContent()).toContain(`version ${newer} first`);
    expect(await at('withdrawal').isVisible()).toBe(false);
    expect(await owned(server, GAIT)).toMatchObject({ version: newer, value: 'Walk 7 minutes.' });
    await at('withdraw').click();
    await at('withdraw-confirm').click();
    await at('delivered').waitFor();
    expect(await owned(server, GAIT)).toMatchObject({ version: newer + 1, value: null });
  });

  it('of what is never spoken has no sentence', async () => {
    const { version: before } = await owned(server, RISK);
    await edit(RISK);
    await at('withdraw').click();
    expect(await at('withdrawal').textContent()).toContain('never spoken');
    expect(await at('withdraw-sentence').isVisible()).toBe(false);
    await at('withdraw-confirm').click();
    await at('delivered').waitFor();
    expect(await owned(server, RISK)).toMatchObject({ version: before + 1, value: null });
  });
});
