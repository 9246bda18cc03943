import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { ROOT } from '../harness/running-server.ts';

/** Keeps what a page looks like for a person to see, in `test-output/`. */
export async function saveScreenshot(page: Page, name: string): Promise<void> {
  await page.screenshot({ path: join(ROOT, 'test-output', `${name}.png`), animations: 'disabled' });
}
