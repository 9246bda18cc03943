/// <reference lib="dom" />
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type DocumentHost, startDocumentHost } from '../harness/client-document.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { openBrowser } from './chromium.ts';
import { application, authorizationOf, openPerson } from './person.ts';
import { pairingAddress, write } from './served.ts';

const TOKEN = 'unsay.console.token';
const KEPT = 'unsay-console.kept';

const folder = temporaryFolder();
let server: RunningServer;
let documents: DocumentHost;
let browser: Browser;
let context: BrowserContext;
let credentials: object[] = [];

beforeAll(async () => {
  documents = await startDocumentHost();
  [server, browser] = await Promise.all([startServer(folder, documents.settings), openBrowser()]);
  const { page, authenticator } = await openPerson(
    await browser.newContext({ reducedMotion: 'reduce' }),
    await pairingAddress(server, 'console'),
  );
  await page.getByTestId('add-passkey').click();
  await page.getByTestId('passkey-said').getByText('Added.').waitFor();
  credentials = await authenticator.credentials();
  await page.context().close();
}, 120_000);

afterAll(async () => {
  await browser.close();
  await server.stop();
  await documents.close();
  removeFolder(folder);
});

beforeEach(async () => {
  context = await browser.newContext({ reducedMotion: 'reduce' });
});

afterEach(() => context.close());

const live = (page: Page): Promise<void> => page.locator('body[data-connection=live]').waitFor();
const kept = (page: Page, key: string): Promise<string | null> =>
  page.evaluate((name) => sessionStorage.getItem(name), key);

/** From now on the page takes its token for one that ends in this moment. */
async function endSoon(page: Page): Promise<void> {
  await page.evaluate((name) => {
    const { refreshToken } = JSON.parse(sessionStorage.getItem(name) ?? '{}');
    sessionStorage.setItem(name, JSON.stringify({ refreshToken, endsAt: 0 }));
  }, KEPT);
}

/** Resolves once the page keeps another token than this one. */
async function renewedFrom(page: Page, token: string | null): Promise<void> {
  await page.waitForFunction(([name, old]) => sessionStorage.getItem(name ?? '') !== old, [TOKEN, token]);
}

it('a passkey is made once on a device, and who tries again is told why there is no second', async () => {
  const { page, authenticator } = await openPerson(
    context,
    await pairingAddress(server, 'console'),
    credentials,
  );
  await page.getByTestId('add-passkey').click();
  await page.getByTestId('passkey-said').getByText('has a passkey for you already').waitFor();
  expect(await authenticator.credentials()).toHaveLength(1);
});

describe('a page that somebody signed in on', () => {
  async function signedIn(): Promise<Page> {
    const { page, authenticator } = await openPerson(context, `${server.url}/console`, credentials);
    await page.getByTestId('sign-in').click();
    await page.getByTestId('use-passkey').click();
    await page.waitForURL(`${server.url}/console`);
    await live(page);
    credentials = await authenticator.credentials();
    return page;
  }

  it('goes on with a newer token before the old one ends, and is never anything but live', async () => {
    const page = await signedIn();
    const token = await kept(page, TOKEN);
    await page.evaluate(() => {
      const seen: (string | undefined)[] = [];
      Object.assign(globalThis, { seen });
      new MutationObserver(() => seen.push(document.body.dataset.connection)).observe(document.body, {
        attributeFilter: ['data-connection'],
      });
    });
    await endSoon(page);
    await renewedFrom(page, token);
    const version = (await write(server, 'care://ray/wound', 'Said after the tokens were changed.')).version;
    await page.getByText('Said after the tokens were changed.').first().waitFor();
    expect(version).toBeGreaterThan(1);
    expect(await page.evaluate(() => Reflect.get(globalThis, 'seen'))).toEqual([]);
  });

  it('keeps its sign-in when it is duplicated: the copy asks for none of the tokens that are good once', async () => {
    const page = await signedIn();
    const token = await kept(page, TOKEN);
    const opened = context.waitForEvent('page');
    await page.evaluate(() => void window.open(location.href));
    const copy = await opened;
    await live(copy);
    expect(await kept(copy, KEPT)).toBe(await kept(page, KEPT));
    await endSoon(copy);
    await copy.waitForFunction((name) => sessionStorage.getItem(name) === null, KEPT);
    expect(await kept(copy, TOKEN)).toBe(token);
    await endSoon(page);
    await renewedFrom(page, token);
    await live(page);
    await live(copy);
  });

  it('keeps its sign-in when it is loaded again', async () => {
    const page = await signedIn();
    const token = await kept(page, TOKEN);
    await page.reload();
    await live(page);
    await endSoon(page);
    await renewedFrom(page, token);
    expect(await kept(page, KEPT)).not.toBeNull();
  });
});

it.each(['?code=stolen', '?code=stolen&iss=x', '?error=x', '?state=x'])(
  'an address with %s is cleared of it, and the page is as without it',
  async (query) => {
    const { page } = await openPerson(context, `${server.url}/console${query}`);
    await page.getByTestId('sign-in').waitFor();
    expect(page.url()).toBe(`${server.url}/console`);
  },
);

it('where people sign in elsewhere, the page says so and shows how it is paired', async () => {
  const elsewhere = temporaryFolder();
  const other = await startServer(elsewhere, { UNSAY_AUTH_SERVER: 'https://login.example' });
  const { page } = await openPerson(context, `${other.url}/console`);
  await page.getByTestId('sign-in').click();
  await page.getByText('People sign in elsewhere').waitFor();
  expect(page.url()).toBe(`${other.url}/console`);
  await other.stop();
  removeFolder(elsewhere);
});

describe('the question', () => {
  it('shows where the answer goes when the document of an application names another place', async () => {
    const redirect = 'http://127.0.0.1:9/callback';
    const clientId = documents.serve('/client.json', { client_name: 'Trusty', redirect_uris: [redirect] });
    const { address } = authorizationOf(server, clientId);
    const { page } = await openPerson(context, address, credentials);
    for (const next of ['use-passkey', 'allow']) {
      await page.getByTestId(next).waitFor();
      expect(await page.getByTestId('client-host').textContent()).toBe(new URL(clientId).host);
      expect(await page.getByTestId('redirect-host').textContent()).toBe('127.0.0.1:9');
      expect(await page.locator('main').textContent()).toContain('a program on the computer you sit at');
      if (next === 'use-passkey') await page.getByTestId(next).click();
    }
  });

  it('is answered once, however often a button is pressed', async () => {
    const { page } = await openPerson(context, (await application(server, 'Helper')).address);
    const sent: string[] = [];
    let release = (): void => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await context.route('**/refuse', async (route) => {
      sent.push(route.request().url());
      await held;
      await route.continue();
    });
    await page.getByTestId('refuse').click();
    await page.getByTestId('refuse').click();
    await page.getByTestId('refuse').click();
    const left = page.waitForRequest((request) => request.url().includes('error=access_denied'));
    release();
    await left;
    expect(sent).toHaveLength(1);
  });
});
