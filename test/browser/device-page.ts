/// <reference lib="dom" />
import type { BrowserContext, Locator, Page } from 'playwright-core';
import { captionMoments, type Moment, recordCaption } from './caption-record.ts';
import { stubVoice } from './stub-voice.ts';

/** The device page, open in a browser. */
export class DevicePage {
  readonly page: Page;

  private constructor(page: Page) {
    this.page = page;
  }

  /** Opens an address of the page. With the voice `stub` the test says each word; else they come in silence. */
  static async open(
    context: BrowserContext,
    address: string,
    voice: 'silent' | 'stub' = 'silent',
  ): Promise<DevicePage> {
    const page = await context.newPage();
    await recordCaption(page);
    if (voice === 'stub') await stubVoice(page);
    await page.goto(address);
    return new DevicePage(page);
  }

  get caption(): Locator {
    return this.page.getByTestId('caption');
  }

  /** The log of what was said, newest first. */
  get said(): Locator {
    return this.page.getByTestId('said').locator('li');
  }

  fact(uri: string): Locator {
    return this.page.locator(`[data-testid=fact][data-uri="${uri}"]`);
  }

  async say(uri: string): Promise<void> {
    await this.fact(uri).getByTestId('say').click();
  }

  async connection(status: 'live' | 'offline' | 'unpaired'): Promise<void> {
    await this.page.locator(`body[data-connection=${status}]`).waitFor();
  }

  /** Waits until the caption is in a state, for a fact where one is named. */
  async state(state: string, uri?: string): Promise<void> {
    const which = uri === undefined ? '' : `[data-uri="${uri}"]`;
    await this.page.locator(`[data-testid=caption][data-state=${state}]${which}`).waitFor();
  }

  /** Waits until this word of a fact's sentence, or a later one, is being said. */
  async word(uri: string, word: number): Promise<void> {
    await this.page.waitForFunction(
      ([wanted, least]) => {
        const caption = document.querySelector<HTMLElement>('[data-testid=caption]');
        const { uri = '', word = '' } = caption?.dataset ?? {};
        return uri === wanted && word !== '' && Number(word) >= least;
      },
      [uri, word] as const,
    );
  }

  /** Waits until the fact is shown at this version. */
  async version(uri: string, version: number): Promise<void> {
    await this.page.locator(`[data-testid=fact][data-uri="${uri}"][data-version="${version}"]`).waitFor();
  }

  moments(): Promise<Moment[]> {
    return captionMoments(this.page);
  }

  /** What was asked of the stub voice. */
  voiceCalls(): Promise<string[]> {
    return this.page.evaluate(() => window.stubVoice.calls);
  }

  /** The stub voice reaches a word. */
  reach(word: number): Promise<void> {
    return this.page.evaluate((index) => window.stubVoice.reach(index), word);
  }

  /** The stub voice says all that is left of its sentence. */
  finish(): Promise<void> {
    return this.page.evaluate(() => window.stubVoice.finish());
  }

  /** Holds back the page's reads of facts from now on; the result lets them go. */
  async holdReads(): Promise<() => Promise<void>> {
    const held: (() => Promise<void>)[] = [];
    await this.page.route('**/mcp', async (route) => {
      if (route.request().postData()?.includes('"resources/read"') !== true) return route.continue();
      held.push(() => route.continue());
    });
    return async () => {
      await Promise.all(held.map((go) => go()));
      await this.page.unroute('**/mcp');
    };
  }
}
