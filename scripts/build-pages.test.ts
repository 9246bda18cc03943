import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { buildPages, newestSource, replaceFolder } from './build-pages.mjs';

let app: string;
beforeEach(() => {
  app = mkdtempSync(join(tmpdir(), 'pages-'));
});
afterEach(() => rmSync(app, { recursive: true }));

const LATER = new Date('2100-01-01T00:00:00Z');
const page = () => readFileSync(join(app, 'dist/web/index.html'), 'utf8');

function writePage(text: string, date?: Date): void {
  mkdirSync(join(app, 'web'), { recursive: true });
  writeFileSync(join(app, 'vite.config.ts'), "export default { root: import.meta.dirname + '/web' };\n");
  writeFileSync(join(app, 'web/index.html'), text);
  if (date) utimesSync(join(app, 'web/index.html'), date, date);
}

describe('buildPages', () => {
  it('does nothing where there are no pages', async () => {
    await buildPages(app);
    expect(existsSync(join(app, 'dist'))).toBe(false);
  });

  it('builds once, and again when a source is newer', async () => {
    writePage('<p>first</p>');
    await buildPages(app);
    expect(page()).toContain('first');

    writeFileSync(join(app, 'dist/web/index.html'), 'untouched');
    await buildPages(app);
    expect(page()).toBe('untouched');

    writePage('<p>second</p>', LATER);
    await buildPages(app);
    expect(page()).toContain('second');
    await buildPages(app);
    expect(readdirSync(join(app, 'dist'))).toEqual(['web']);
  });

  it('refuses with a message and keeps the pages it had when a build fails', async () => {
    writePage('<p>first</p>');
    await buildPages(app);
    writePage('<script type="module" src="./missing.ts"></script>', LATER);
    await expect(buildPages(app)).rejects.toThrow(/^The pages could not be built: .*missing\.ts/s);
    expect(page()).toContain('first');
    expect(readdirSync(join(app, 'dist'))).toEqual(['web']);
  });
});

it('newestSource sees files in folders, and a deletion by the date of its folder', () => {
  writePage('<p>page</p>');
  const before = newestSource([app]);
  rmSync(join(app, 'web/index.html'));
  utimesSync(join(app, 'web'), LATER, LATER);
  expect(newestSource([app])).toBe(LATER.getTime());
  expect(before).toBeLessThan(LATER.getTime());
  expect(newestSource([join(app, 'nothing')])).toBe(0);
});

describe('replaceFolder', () => {
  const folder = (name: string, text: string) => {
    mkdirSync(join(app, name));
    writeFileSync(join(app, name, 'text'), text);
    return join(app, name);
  };

  it('puts a folder in the place of another and leaves nothing behind', () => {
    replaceFolder(folder('fresh', 'new'), folder('place', 'old'));
    expect(readFileSync(join(app, 'place/text'), 'utf8')).toBe('new');
    expect(readdirSync(app)).toEqual(['place']);
  });

  it('puts a folder where there was none', () => {
    replaceFolder(folder('fresh', 'new'), join(app, 'place'));
    expect(readFileSync(join(app, 'place/text'), 'utf8')).toBe('new');
  });
});
