import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type Browser, chromium } from 'playwright-core';
import { ROOT } from '../harness/running-server.ts';

const CACHE = join(ROOT, 'node_modules/.cache');
const UNPACK = fileURLToPath(new URL('unpack-chromium.ts', import.meta.url));

/** What the browser would do on its own behalf: look for updates, extensions, accounts. */
const QUIET = ['--disable-background-networking', '--disable-component-update', '--disable-sync'];

/** Starts the browser that comes inside a package, without a window, and without anything of this machine. */
export async function openBrowser(): Promise<Browser> {
  const folder = await unpacked();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [...QUIET, '--no-sandbox', '--no-zygote', '--disable-gpu', '--font-render-hinting=none'],
    env: {
      ...environment(),
      LD_LIBRARY_PATH: join(folder, 'al2023/lib'),
      FONTCONFIG_FILE: join(folder, 'fonts.conf'),
    },
  });
}

/**
 * The folder of the unpacked browser; unpacking takes some seconds, once for each version of the package. Two
 * test files may do it at the same time: each in a folder of its own, and the first to finish gives it the name.
 */
async function unpacked(): Promise<string> {
  const folder = join(CACHE, `chromium-${packageVersion()}`);
  if (existsSync(folder)) return folder;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  try {
    // The package unpacks the libraries it links only where it believes itself to be on AWS.
    const env = { ...environment(), TMPDIR: fresh, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs22.x' };
    await promisify(execFile)(process.execPath, [UNPACK], { env });
    writeFileSync(join(fresh, 'fonts.conf'), fontConfiguration(folder));
    if (!existsSync(folder)) renameSync(fresh, folder);
  } catch (error) {
    // The other one was first.
    if (!existsSync(folder)) throw error;
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return folder;
}

function packageVersion(): string {
  const text = readFileSync(join(ROOT, 'node_modules/@sparticuz/chromium/package.json'), 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

/** Only the fonts of the package, so that a page looks the same on every machine. */
function fontConfiguration(folder: string): string {
  return [
    '<?xml version="1.0"?>',
    '<!DOCTYPE fontconfig SYSTEM "fonts.dtd">',
    '<fontconfig>',
    `  <dir>${join(folder, 'fonts')}</dir>`,
    `  <cachedir>${join(folder, 'fonts-cache')}</cachedir>`,
    '</fontconfig>',
    '',
  ].join('\n');
}

function environment(): Record<string, string> {
  const given = Object.entries(process.env).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  );
  return Object.fromEntries(given);
}
