/// <reference lib="dom" />
import { decodeJwt } from 'jose';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { CALLBACK } from '../harness/sign-in.ts';
import { openBrowser } from './chromium.ts';
import { textContrasts } from './contrast.ts';
import { documentRecord, keptBy } from './leak-scan.ts';
import { application, openPerson } from './person.ts';
import { pairingAddress } from './served.ts';

const folder = temporaryFolder();
let server: RunningServer;
let browser: Browser;
/** The passkeys of the person, as they move from one browser to another, counters and all: a copy would be noticed. */
let credentials: object[] = [];

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(folder), openBrowser()]);
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const { page, authenticator } = await openPerson(context, await pairingAddress(server, 'console'));
  await page.locator('body[data-connection=live]').waitFor();
  await page.getByTestId('passkey-label').fill('The key of the test');
  await page.getByTestId('add-passkey').click();
  await page.getByTestId('passkey-said').getByText('Added.').waitFor();
  credentials = await authenticator.credentials();
  await context.close();
  await server.unsay('subject', 'grant', '--sub', 'owner', '--subject', 'sam');
}, 120_000);

afterAll(async () => {
  await browser.close();
  await server.stop();
  removeFolder(folder);
});

/** Everything that a page keeps or shows where somebody else could read it. */
function visible(page: Page): Promise<string> {
  return page.evaluate(() =>
    [location.href, document.documentElement.outerHTML, JSON.stringify(localStorage), document.cookie].join(
      '\n',
    ),
  );
}

describe.each([
  ['console', 'unsay.console.token'],
  ['device', 'unsay.device.token'],
] as const)('the %s', (name, key) => {
  it('is opened with a passkey, and keeps what it was given to itself', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const { page, complaints, authenticator } = await openPerson(
      context,
      `${server.url}/${name}`,
      credentials,
    );
    await page.getByTestId('sign-in').click();
    await page.getByTestId('client-name').getByText(`Unsay ${name}`).waitFor();
    expect(await page.getByTestId('client-host').count()).toBe(0);
    const sentBack = page.waitForRequest((sent) => new URL(sent.url()).searchParams.has('code'));
    await page.getByTestId('use-passkey').click();
    const code = new URL((await sentBack).url()).searchParams.get('code') ?? '';
    await page.waitForURL(`${server.url}/${name}`);
    await page.locator('body[data-connection=live]').waitFor();
    const kept = await page.evaluate(() => ({ ...sessionStorage }));
    expect(decodeJwt(kept[key] ?? '')).toMatchObject({ sub: 'owner', client_id: `unsay-${name}` });
    const { sessionStorage: _own, cookies: _server, ...places } = await keptBy(page);
    const documents = await documentRecord(page);
    expect(documents.length).toBeGreaterThan(1);
    const shown = [await visible(page), ...complaints, ...Object.values(places), ...documents].join('\n');
    const secrets = Object.values(kept).flatMap((text) => text.match(/[A-Za-z0-9_-]{24,}/g) ?? []);
    expect(secrets.length).toBeGreaterThanOrEqual(3);
    expect(code.length).toBeGreaterThan(20);
    expect(Object.values(kept).join('\n')).not.toContain(code);
    secrets.push(code);
    for (const secret of secrets) expect(shown).not.toContain(secret);
    credentials = await authenticator.credentials();
    expect(Object.keys(kept)).not.toContain(`unsay-${name}.begun`);
    await context.close();
  });
});

it('a page that is sent back from a sign-in that it did not begin says so, and stays unpaired', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const { page } = await openPerson(context, `${server.url}/console?code=stolen&state=foreign&iss=x`);
  await page.locator('#connection-notice').getByText('did not begin').waitFor();
  expect(page.url()).toBe(`${server.url}/console`);
  await context.close();
});

describe('an application that nobody knows', () => {
  it('is shown with its host, and gets what the person left checked', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const { clientId, verifier, address } = await application(server, '<b>Helper</b>\u202e');
    const { page, authenticator } = await openPerson(context, address, credentials);
    expect(await page.getByTestId('client-host').textContent()).toBe('127.0.0.1:9');
    expect(await page.getByTestId('client-name').textContent()).toBe('<b>Helper</b>');
    await page.getByTestId('use-passkey').click();
    await page.getByTestId('scopes').getByText('must never be said aloud').waitFor();
    await page.getByLabel('sam').uncheck();
    const request = page.waitForRequest((sent) => sent.url().startsWith(CALLBACK));
    await page.getByTestId('allow').click();
    const returned = new URL((await request).url());
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: clientId,
      code: returned.searchParams.get('code') ?? '',
      redirect_uri: CALLBACK,
      code_verifier: verifier,
    });
    const tokens = await (await fetch(`${server.url}/token`, { method: 'POST', body })).json();
    const { access_token: token } = tokens as { access_token: string };
    expect(decodeJwt(token)).toMatchObject({ sub: 'owner', subjects: ['ray'] });
    credentials = await authenticator.credentials();
    await context.close();
  });

  it('gets nothing when nobody is left checked, or the person refuses', async () => {
    const context = await browser.newContext({ reducedMotion: 'reduce' });
    const { page } = await openPerson(context, (await application(server, 'Helper')).address, credentials);
    await page.getByTestId('use-passkey').click();
    await page.getByLabel('sam').uncheck();
    await page.getByLabel('ray').uncheck();
    await page.getByTestId('allow').click();
    await page.getByTestId('said').getByText('at least one').waitFor();
    const request = page.waitForRequest((sent) => sent.url().startsWith(CALLBACK));
    await page.getByTestId('refuse').click();
    const returned = new URL((await request).url());
    expect(returned.searchParams.get('error')).toBe('access_denied');
    expect(returned.searchParams.has('code')).toBe(false);
    await context.close();
  });
});

it('the sign-in page says what happened when nothing can come of it, and reads well in light and dark', async () => {
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  const { page, authenticator } = await openPerson(
    context,
    (await application(server, 'Helper')).address,
    credentials,
  );
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const texts = await textContrasts(page);
    expect(texts.length).toBeGreaterThan(4);
    expect(texts.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
  }
  await authenticator.touched(false);
  await page.getByTestId('use-passkey').click();
  await page.getByTestId('said').getByText('No passkey was used').waitFor();
  const elsewhere = await (await browser.newContext()).newPage();
  await elsewhere.goto(page.url());
  await elsewhere.getByTestId('told').waitFor();
  expect(await elsewhere.locator('main').textContent()).toContain('begun in another browser');
  await elsewhere.context().close();
  await context.close();
});
