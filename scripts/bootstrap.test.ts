import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { installIsDue, isAtLeast, ROOT } from './bootstrap.mjs';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'bootstrap-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const LOCK = 'package-lock.json';
const RECORD = 'node_modules/.package-lock.json';
const PACKAGES = {
  '': { version: '1.0.0' },
  'node_modules/node': { version: '24.0.0', integrity: 'sha512-a' },
};

/** Writes a list of packages, or makes a folder where the path ends in `/`, dated in seconds since the epoch. */
function put(path: string, at: number, packages: object = PACKAGES): void {
  const full = join(root, path);
  mkdirSync(path.endsWith('/') ? full : dirname(full), { recursive: true });
  if (!path.endsWith('/')) writeFileSync(full, JSON.stringify({ packages }));
  utimesSync(full, at, at);
}

describe('an install is due', () => {
  it('in a fresh clone', () => {
    put(LOCK, 100);
    expect(installIsDue(root)).toBe(true);
  });

  it('after one that was interrupted, which leaves packages but no record', () => {
    put(LOCK, 100);
    put('node_modules/node/', 200);
    expect(installIsDue(root)).toBe(true);
  });

  it('after one without development dependencies', () => {
    put(LOCK, 100);
    put(RECORD, 200);
    expect(installIsDue(root)).toBe(true);
  });

  it.each([
    ['another version', { version: '24.0.1', integrity: 'sha512-a' }],
    ['other bytes', { version: '24.0.0', integrity: 'sha512-b' }],
  ])('when a newer lock file wants %s', (_what, node) => {
    put('node_modules/node/', 200);
    put(RECORD, 200);
    put(LOCK, 201, { 'node_modules/node': node });
    expect(installIsDue(root)).toBe(true);
  });

  it('when a newer lock file wants one package more, unless it is for another platform', () => {
    put('node_modules/node/', 200);
    put(RECORD, 200);
    put(LOCK, 201, { ...PACKAGES, 'node_modules/more': { version: '1.0.0' } });
    expect(installIsDue(root)).toBe(true);
    put(LOCK, 201, { ...PACKAGES, 'node_modules/more': { version: '1.0.0', optional: true } });
    expect(installIsDue(root)).toBe(false);
  });

  it('not when the record is as new as the lock file, nor when a newer one says the same', () => {
    put('node_modules/node/', 200);
    put(RECORD, 200);
    put(LOCK, 200);
    expect(installIsDue(root)).toBe(false);
    put(LOCK, 300);
    expect(installIsDue(root)).toBe(false);
  });

  it('cannot be told without a lock file', () => {
    expect(() => installIsDue(root)).toThrow('package-lock.json is missing');
  });
});

it.each([
  ['24.21.0', '24.21.0', true],
  ['24.21.1', '24.21.0', true],
  ['26.0.0', '24.21.0', true],
  ['24.9.9', '24.21.0', false],
  ['20.20.2', '24.21.0', false],
])('Node %s is at least %s: %s', (version, least, expected) => {
  expect(isAtLeast(version, least)).toBe(expected);
});

describe('with-node', () => {
  function withNode(...args: readonly string[]) {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/with-node.mjs', ...args], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  }

  it('runs a TypeScript source with its arguments, and writes nothing of its own', () => {
    const file = join(root, 'echo.ts');
    writeFileSync(file, 'const words: string[] = process.argv.slice(2);\nconsole.log(words.join("|"));\n');
    expect(withNode(file, 'a b', '--flag')).toEqual({ status: 0, stdout: 'a b|--flag\n', stderr: '' });
  });

  it('passes on the exit code', () => {
    const file = join(root, 'answer.ts');
    writeFileSync(file, 'process.exitCode = 7;\n');
    expect(withNode(file).status).toBe(7);
  });

  it.each([[[]], [['no/such/file.ts']]])('refuses %j with one sentence', (args) => {
    const { status, stdout, stderr } = withNode(...args);
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^[A-Z][^\n]+\n$/);
  });
});
