import type { Browser, BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClockFile } from '../harness/clock-file.ts';
import { type RunningServer, removeFolder, startServer, temporaryFolder } from '../harness/running-server.ts';
import type { Moment } from './caption-record.ts';
import { openBrowser } from './chromium.ts';
import { DevicePage } from './device-page.ts';
import { saveScreenshot } from './screenshot.ts';
import { pairingAddress, served, write } from './served.ts';

const WEIGHT = 'care://ray/weight_bearing';
const EXERCISES = 'care://ray/exercises';
const SPEAKABLE = [
  'care://ray/anticoagulant',
  EXERCISES,
  'care://ray/gait',
  'care://ray/hip_precautions',
  WEIGHT,
  'care://ray/wound',
];
const FULL = 'Full weight-bearing: both legs.';

const folder = temporaryFolder();
/** It stands still, so that a sentence with an age in it is the same whenever it is asked for. */
const clock = new ClockFile();
const settings = { UNSAY_CLOCK: clock.setting };
let server: RunningServer;
let browser: Browser;
let context: BrowserContext;

beforeAll(async () => {
  [server, browser] = await Promise.all([startServer(folder, settings), openBrowser()]);
  context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
});

afterAll(async () => {
  await browser.close();
  await server.stop();
  removeFolder(folder);
  clock.remove();
});

async function openWithVoice(): Promise<DevicePage> {
  const device = await DevicePage.open(context, await pairingAddress(server, 'device'), 'stub');
  await device.connection('live');
  return device;
}

function wordsOf(sentence: string): readonly string[] {
  return sentence.split(/\s+/);
}

/** The moments in which a word is marked. */
function marked(moments: readonly Moment[], kind: Moment['kind']): readonly Moment[] {
  return moments.filter((moment) => moment.kind === kind && moment.mark !== null);
}

/** Every mark is on the word that the caption says is being said, and words come in their order. */
function expectInStep(moments: readonly Moment[]): void {
  expect(moments.length).toBeGreaterThan(1);
  for (const { sentence, word, mark } of moments) expect(mark).toBe(wordsOf(sentence)[word ?? -1]);
  const order = moments.map(({ word }) => Number(word));
  expect(order).toEqual([...new Set(order)].sort((a, b) => a - b));
}

describe('the device page, where there is no voice', () => {
  it('opens at the printed address, goes live, and is cut and corrected in mid-sentence', async () => {
    const code = server.code('device');
    const device = await DevicePage.open(context, `${server.url}/device#${code}`);
    expect(device.page.url()).toBe(`${server.url}/device`);
    await device.connection('live');
    const listed = device.page.getByTestId('fact');
    expect(await listed.evaluateAll((rows) => rows.map((row) => row.dataset.uri))).toEqual(SPEAKABLE);

    const before = await served(server, WEIGHT);
    await device.say(WEIGHT);
    await device.word(WEIGHT, 2);
    // What may not be said says nothing here either; the correction after it shows that it was passed over.
    await write(server, 'care-internal://ray/risk', 'Internal: this one changed while the device spoke.');
    await device.word(WEIGHT, 4);
    await write(server, WEIGHT, FULL);
    await device.state('retracting', WEIGHT);
    const { version, meta } = await served(server, WEIGHT);
    expect(version).toBe(before.version + 1);
    await device.state('done', WEIGHT);

    const moments = await device.moments();
    expect(new Set(moments.map(({ engine }) => engine)).has('voice')).toBe(false);
    const said = marked(moments, 'words');
    expect(said.every(({ sentence }) => sentence === before.text)).toBe(true);
    expectInStep(said);
    const heard = Number(said.at(-1)?.word) + 1;
    const all = wordsOf(before.text);
    expect(heard).toBeLessThan(all.length);

    const cut = moments.filter(({ state }) => state === 'cut' || state === 'retracting');
    expect(cut[0]?.state).toBe('cut');
    expect(cut[0]?.mark).toBeNull();
    expect(cut[0]?.cut).toContain(`Stopped after ${heard} of ${all.length} words.`);
    expect(cut[0]?.cut).toContain(`Heard ${all.slice(0, heard).join(' ')}`);
    expect(cut[0]?.cut).toContain(`Not heard ${all.slice(heard).join(' ')}`);

    const retraction = marked(moments, 'retraction');
    expectInStep(retraction);
    expect(retraction.every(({ sentence }) => sentence === meta['unsay/retraction'])).toBe(true);
    expect(meta['unsay/retraction']).toContain(`“${before.text}”`);
    expect(meta['unsay/retraction']).toContain(`“${FULL}”`);

    await device.version(WEIGHT, version);
    expect(await device.fact(WEIGHT).textContent()).toContain(FULL);
    const outcomes = await device.said.evaluateAll((lines) => lines.map(({ dataset }) => ({ ...dataset })));
    expect(outcomes).toEqual([
      { uri: WEIGHT, version: String(version), kind: 'retraction', outcome: 'said' },
      { uri: WEIGHT, version: String(before.version), kind: 'fact', outcome: 'changed' },
    ]);
    expect(await device.said.last().textContent()).toContain(`${all.slice(0, heard).join(' ')} —`);
    expect(await listed.evaluateAll((rows) => rows.map((row) => row.dataset.uri))).toEqual(SPEAKABLE);
    await device.page.close();
  });

  it('says the age of a stale fact before its words', async () => {
    const uri = 'care://ray/anticoagulant';
    const { meta } = await served(server, uri);
    const device = await DevicePage.open(context, await pairingAddress(server, 'device'));
    await device.connection('live');
    expect(await device.fact(uri).getAttribute('data-stale')).toBe('true');
    expect(await device.fact(WEIGHT).getAttribute('data-stale')).toBe('false');
    await device.say(uri);
    await device.word(uri, 3);
    await device.page.getByTestId('stop').click();
    await device.state('cut', uri);
    const said = marked(await device.moments(), 'words');
    expect(said[0]?.sentence).toBe(meta['unsay/spoken']);
    expect(said.map(({ mark }) => mark).join(' ')).toMatch(/^Last changed 6 days/);
    expect(await device.said.getAttribute('data-outcome')).toBe('stopped');
    await device.page.close();
  });
});

describe('the device page, where there is a voice', () => {
  it('cancels the voice at the announcement, before it knows the new words', async () => {
    const before = await served(server, EXERCISES);
    const device = await openWithVoice();
    await device.say(EXERCISES);
    await device.state('speaking', EXERCISES);
    await device.reach(5);
    await device.word(EXERCISES, 5);
    await saveScreenshot(device.page, 'device-speaking');

    const release = await device.holdReads();
    await write(server, EXERCISES, 'Do 6 slow heel slides with your left leg, 2 times a day.');
    await device.state('cut', EXERCISES);
    expect(await device.voiceCalls()).toEqual([`speak ${before.text}`, 'cancel']);
    expect(await device.fact(EXERCISES).getAttribute('data-standing')).toBe('checking');
    // A voice may still report a word that was under way.
    await device.reach(9);
    await saveScreenshot(device.page, 'device-cut');

    await release();
    await device.state('retracting', EXERCISES);
    const { meta } = await served(server, EXERCISES);
    expect((await device.voiceCalls()).at(-1)).toBe(`speak ${meta['unsay/retraction']}`);
    await device.reach(12);
    await saveScreenshot(device.page, 'device-retracting');
    await device.page.setViewportSize({ width: 390, height: 844 });
    await device.reach(13);
    const stop = await device.page.getByTestId('stop').boundingBox();
    expect((stop?.y ?? 844) + (stop?.height ?? 0)).toBeLessThanOrEqual(844);
    await saveScreenshot(device.page, 'device-retracting-narrow');
    await device.page.setViewportSize({ width: 1280, height: 900 });
    await device.finish();
    await device.state('done', EXERCISES);
    await saveScreenshot(device.page, 'device-retracted');

    const moments = await device.moments();
    expect(new Set(moments.filter(({ uri }) => uri !== '').map(({ engine }) => engine))).toEqual(
      new Set(['voice']),
    );
    expect(marked(moments, 'words').map(({ word }) => word)).toEqual([0, 5]);
    expectInStep(marked(moments, 'retraction'));
    await device.page.close();
  });

  it('says all facts one after another, in the order of the list, and one that changed while it waited as it now is', async () => {
    const device = await openWithVoice();
    await device.page.getByTestId('say-all').click();
    const gait = 'Walk 4 minutes indoors, 3 times a day, with both crutches.';
    await device.state('speaking', SPEAKABLE[0]);
    await write(server, 'care://ray/gait', gait);
    await device.page.getByText(gait).waitFor();
    for (const uri of SPEAKABLE) {
      await device.state('speaking', uri);
      await device.finish();
    }
    await device.page
      .locator('[data-testid=said] li')
      .nth(SPEAKABLE.length - 1)
      .waitFor();
    const calls = await device.voiceCalls();
    expect(calls).toHaveLength(SPEAKABLE.length);
    // It was never heard in its old words, so there is nothing to take back.
    expect(calls[2]).toBe(`speak ${gait}`);
    await device.page.close();
  });
});

describe('the device page, for a person who asked for less motion', () => {
  it.each([
    ['reduce', '0s'],
    ['no-preference', '0.15s'],
  ] as const)('with the preference %s has changes that take %s', async (reducedMotion, duration) => {
    const own = await browser.newContext({ reducedMotion });
    const device = await DevicePage.open(own, await pairingAddress(server, 'device'), 'stub');
    await device.connection('live');
    const takes = await device.page
      .locator('.caption, .fact, button')
      .evaluateAll((all) => all.flatMap((each) => getComputedStyle(each).transitionDuration.split(', ')));
    expect(new Set(takes)).toEqual(new Set([duration]));
    await device.say(WEIGHT);
    await device.state('speaking', WEIGHT);
    const moving = await device.page.evaluate(() => document.getAnimations().length);
    if (reducedMotion === 'reduce') expect(moving).toBe(0);
    await own.close();
  });
});
