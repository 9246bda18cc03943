/// <reference lib="dom" />
import type { Browser, BrowserContext, Frame } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import { HOST_ORIGIN, type HostedCard, hostCard } from './card-host.ts';
import { openBrowser } from './chromium.ts';
import { piecesIn, type Secret, topicsIn } from './leak-scan.ts';
import { RecordingProxy } from './recording-proxy.ts';
import { saveScreenshot } from './screenshot.ts';
import { owned, served, write } from './served.ts';

const WEIGHT = 'care://ray/weight_bearing';
const SPEAKABLE = ['anticoagulant', 'exercises', 'gait', 'hip_precautions', 'weight_bearing', 'wound'].map(
  (topic) => `care://ray/${topic}`,
);
const INTERNAL = ['care-internal://ray/risk', 'care-internal://ray/family'];
const CHANGED = 'Internal, do not say: a second opinion about the stairs was asked for on Monday.';
const EVERYTHING = 'care.read.user care.read.assistant';

const folder = temporaryFolder();
/** It stands still, so that a sentence with an age in it is the same whenever it is asked for. */
const clock = new ClockFile();
const known: string[] = ['your care team'];
const secrets: Secret[] = [];
let server: RunningServer;
let browser: Browser;
let proxy: RecordingProxy;
let context: BrowserContext;

beforeAll(async () => {
  const settings = { UNSAY_ALLOWED_ORIGINS: HOST_ORIGIN, UNSAY_CLOCK: clock.setting };
  [server, browser] = await Promise.all([startServer(folder, settings), openBrowser()]);
  for (const uri of SPEAKABLE) {
    const { text, meta } = await served(server, uri);
    known.push(text, String(meta['unsay/retraction'] ?? ''), String(meta['unsay/author']));
  }
  await learnSecrets();
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  removeFolder(folder);
  clock.remove();
});

beforeEach(async () => {
  proxy = await RecordingProxy.before(server.url);
  context = await browser.newContext({ proxy: proxy.setting, viewport: { width: 900, height: 1000 } });
});

afterEach(async () => {
  await context.close();
  await proxy.close();
});

/** Of a request's headers, the origin of the page that sent it. */
interface Headers {
  readonly origin?: string;
}

async function learnSecrets(): Promise<void> {
  for (const uri of INTERNAL) {
    const { value, versionHash, author } = await owned(server, uri);
    secrets.push({ uri, values: [value], marks: [versionHash, ...(known.includes(author) ? [] : [author])] });
  }
}

async function state(card: Frame, wanted: string): Promise<void> {
  await card.locator(`[data-testid=caption][data-state=${wanted}][data-uri="${WEIGHT}"]`).waitFor();
}

async function say(card: Frame): Promise<void> {
  await card.locator(`[data-testid=fact][data-uri="${WEIGHT}"]`).getByTestId('say').click();
}

async function word(card: Frame, least: number): Promise<void> {
  await card.waitForFunction((wanted) => {
    const { word = '' } = document.querySelector<HTMLElement>('[data-testid=caption]')?.dataset ?? {};
    return word !== '' && Number(word) >= wanted;
  }, least);
}

/** Every state of the card's document, and what of the secrets is found in it. */
async function leaksOf(card: Frame): Promise<{ readonly states: number; readonly found: readonly string[] }> {
  const states = await card.evaluate(() => [...window.documentRecord]);
  // The script and the style sheet are the same for everyone; "font-family" is no topic.
  const shown = states.map((each) => each.replace(/<(script|style)[^>]*>.*?<\/\1>/gs, '')).join('\n');
  return { states: states.length, found: [...piecesIn(shown, secrets, known), ...topicsIn(shown, secrets)] };
}

async function outsideOf({ requests }: HostedCard): Promise<readonly string[]> {
  return (await requests())
    .filter(({ method, params }) => {
      if (method === 'ui/initialize' || method === 'resources/list') return false;
      if (method === 'tools/call') return params.name !== 'whats_changed';
      return method !== 'resources/read' || !String(params.uri).startsWith('care://');
    })
    .map(({ method, params }) => `${method} ${JSON.stringify(params)}`);
}

describe('the card, in a host that may read everything', () => {
  it('says what may be spoken, and takes back what is corrected, and nothing else', async () => {
    const hosted = await hostCard(context, server, await server.mint(EVERYTHING));
    const { card, page } = hosted;
    const listed = card.getByTestId('fact');
    expect(await listed.evaluateAll((rows) => rows.map((row) => row.dataset.uri))).toEqual(SPEAKABLE);
    expect(await card.locator('[data-stale=true]').count()).toBe(1);
    await saveScreenshot(page, 'card-in-host');

    const before = await served(server, WEIGHT);
    await say(card);
    await word(card, 2);
    for (const uri of INTERNAL) await write(server, uri, CHANGED);
    await learnSecrets();
    await write(server, WEIGHT, 'Full weight-bearing: both legs.');
    await state(card, 'retracting');
    await saveScreenshot(page, 'card-in-host-retracting');
    const { meta } = await served(server, WEIGHT);
    known.push(String(meta['unsay/retraction']));
    expect((await card.getByTestId('retraction').textContent())?.trim()).toBe(meta['unsay/retraction']);
    expect(meta['unsay/retraction']).toContain(`“${before.text}”`);
    expect(await card.getByTestId('cut').textContent()).toContain('Not heard');
    await word(card, 2);
    await card.getByTestId('stop').click();
    await state(card, 'cut');
    const said = card.getByTestId('said').locator('li');
    expect(
      await said.evaluateAll((lines) => lines.map(({ dataset }) => [dataset.kind, dataset.outcome])),
    ).toEqual([
      ['retraction', 'stopped'],
      ['fact', 'changed'],
    ]);

    const { states, found } = await leaksOf(card);
    expect(states).toBeGreaterThan(10);
    expect(found).toEqual([]);
    expect(await outsideOf(hosted)).toEqual([]);
    // The host itself was told, so the search would have found it.
    const told = proxy.exchanges.map(({ answered }) => answered.text).join('\n');
    expect(piecesIn(told, secrets, known)).toContain('a second opinion');
    expect(await page.evaluate(() => window.cardHeight)).toBeGreaterThan(400);
  });

  it('asks at once when its host has called the tool, and stops when it is taken away', async () => {
    const hosted = await hostCard(context, server, await server.mint(EVERYTHING));
    const { card, page } = hosted;
    await say(card);
    await word(card, 1);
    const asked = (await hosted.requests()).filter(({ method }) => method === 'tools/call').length;
    await page.evaluate(() => window.callTool());
    await page.waitForFunction(
      (before) =>
        (window.fromCard as { method?: string }[]).filter(({ method }) => method === 'tools/call').length >
        before,
      asked,
    );
    expect((await leaksOf(card)).found).toEqual([]);
    await page.evaluate(() => window.teardown());
    await state(card, 'cut');
  });
});

describe('the card, in a host that may read what is spoken', () => {
  it('has its host ask for nothing else, and reaches no network itself', async () => {
    const { card } = await hostCard(context, server, await server.mint('care.read.user'));
    await write(server, 'care-internal://ray/risk', `${CHANGED} And again on Tuesday.`);
    await write(server, WEIGHT, 'Partial weight-bearing: as it was.');
    await learnSecrets();
    await card.getByText('as it was').first().waitFor();
    const wire = proxy.exchanges.map(({ sent, answered }) => `${sent.text}\n${answered.text}`);
    expect(wire.join('\n')).toContain('as it was');
    // The instructions and the card are the same for everyone: they name a scheme, and no fact.
    const facts = wire
      .filter((each) => !/"mcp-method":"server\/discover"|<!doctype html>/.test(each))
      .join('\n');
    expect([...piecesIn(facts, secrets, known), ...topicsIn(facts, secrets)]).toEqual([]);
    const origins = proxy.exchanges.map(
      ({ sent }) => (JSON.parse(sent.text.split('\n')[0] ?? '') as Headers).origin,
    );
    expect(new Set(origins)).toEqual(new Set([HOST_ORIGIN]));
    expect(proxy.foreign).toEqual([]);
    expect((await leaksOf(card)).found).toEqual([]);
  });
});
