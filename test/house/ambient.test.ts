import { describe, expect, it } from 'vitest';
import { findAmbient } from './ambient.ts';
import { readModules } from './source-tree.ts';

const PATH = 'packages/auth/src/planted.ts';
const found = (text: string) => findAmbient([{ path: PATH, text }]).map(({ what }) => what);

describe('clock and randomness are given, never taken', () => {
  it('holds for every shipped module but the main.ts of an app', () => {
    expect(findAmbient(readModules())).toEqual([]);
  });

  it('fails where it judged nothing', () => {
    expect(() => findAmbient([])).toThrow('no module');
    expect(() => findAmbient([{ path: 'apps/unsay/src/main.ts', text: 'Date.now();' }])).toThrow('no module');
  });

  it('names the file and the line', () => {
    expect(findAmbient([{ path: PATH, text: '\n\nexport const at = Date.now();' }])).toEqual([
      { where: `${PATH}:3`, what: 'Date.now' },
    ]);
  });

  it('leaves main.ts, tests and pages alone', () => {
    const text = 'Date.now(); Math.random();';
    const clean = { path: PATH, text: '' };
    const free = [
      'apps/unsay/src/main.ts',
      'apps/probe/src/main.ts',
      'packages/auth/src/x.test.ts',
      'apps/unsay/web/device.ts',
      'test/x.ts',
    ];
    expect(findAmbient([clean, ...free.map((path) => ({ path, text }))])).toEqual([]);
  });
});

describe('planted reaches for the clock', () => {
  it.each([
    ['Date.now()', 'Date.now'],
    ["Date['now']()", 'Date.now'],
    ['Date[`now`]()', 'Date.now'],
    ['Date?.now()', 'Date.now'],
    ['(Date as DateConstructor).now()', 'Date.now'],
    ['const key = read(); Date[key]()', 'Date.[computed]'],
    ['globalThis.Date.now()', 'Date.now'],
    ["globalThis['Date'].now()", 'Date.now'],
    ['global.Date.now()', 'Date.now'],
    ['globalThis.globalThis.Date.now()', 'Date.now'],
    ['new Date()', 'new Date()'],
    ['new Date', 'new Date()'],
    ['new (Date)()', 'new Date()'],
    ['new globalThis.Date()', 'new Date()'],
    ['const none: [] = []; new Date(...none)', 'new Date()'],
    ['Date()', 'Date under another name'],
    ['const { now } = Date', 'Date under another name'],
    ['const { now: later } = Date', 'Date under another name'],
    ['const Later = Date', 'Date under another name'],
    ['const Later = globalThis.Date', 'Date under another name'],
    ['const { Date: Later } = globalThis', 'globalThis under another name'],
    ['const everything = globalThis', 'globalThis under another name'],
    ['globalThis[name]', 'globalThis.[computed]'],
    ["Reflect.get(Date, 'now')", 'Date under another name'],
    ['class Later extends Date {}', 'Date under another name'],
    ['export { Date as Later }', 'Date under another name'],
    ['performance.now()', 'performance'],
    ['globalThis.performance.now()', 'performance'],
    ['const { performance: p } = globalThis', 'performance'],
    ["import { performance as p } from 'node:perf_hooks'", 'performance'],
    ["import * as hooks from 'node:perf_hooks'; hooks.performance.now()", 'performance'],
    ['process.hrtime.bigint()', 'hrtime'],
    ['const { hrtime } = process', 'hrtime'],
    ["import { hrtime as elapsed } from 'node:process'", 'hrtime'],
    ['Temporal.Now.instant()', 'Temporal'],
    ["eval('Date.now()')", 'eval under another name'],
    ["new Function('return Date.now()')()", 'Function under another name'],
  ])('%s', (text, what) => {
    expect(found(text)).toContain(what);
  });
});

describe('planted reaches for chance', () => {
  it.each([
    ['Math.random()', 'Math.random'],
    ["Math['random']()", 'Math.random'],
    ['globalThis.Math.random()', 'Math.random'],
    ['const { random } = Math', 'Math under another name'],
    ['const m = Math', 'Math under another name'],
    ['Math[name]()', 'Math.[computed]'],
    ["import { randomBytes } from 'node:crypto'", 'randomBytes'],
    ["import { randomBytes as r } from 'node:crypto'", 'randomBytes'],
    ["import { 'randomBytes' as r } from 'node:crypto'", 'randomBytes'],
    ["export { randomUUID as id } from 'node:crypto'", 'randomUUID'],
    ["import * as c from 'node:crypto'; c.randomInt(9)", 'randomInt'],
    ["import c from 'node:crypto'; c['randomBytes'](9)", 'randomBytes'],
    ["const { randomFillSync: fill } = await import('node:crypto')", 'randomFillSync'],
    ["const { ['randomUUID']: id } = crypto", 'randomUUID'],
    ['crypto.getRandomValues(new Uint8Array(8))', 'getRandomValues'],
    ['globalThis.crypto.randomUUID()', 'randomUUID'],
    ["import { webcrypto } from 'node:crypto'; webcrypto.getRandomValues(b)", 'getRandomValues'],
    ['crypto[name]()', 'crypto.[computed]'],
    ["process.getBuiltinModule('node:crypto').randomBytes(1)", 'randomBytes'],
  ])('%s', (text, what) => {
    expect(found(text)).toContain(what);
  });
});

describe('what is not a reach', () => {
  it.each([
    'new Date(0)',
    'new Date(clock.now())',
    "Date.parse('2026-01-01')",
    'Date.UTC(2026, 0)',
    'when instanceof Date',
    'clock.now()',
    'Math.max(1, 2)',
    'const at: Date = read()',
    'type Now = typeof Date.now',
    "import type { randomBytes } from 'node:crypto'",
    "import { type randomBytes, createHash } from 'node:crypto'",
    'const port = { randomBytes: 1, now: () => 1 }',
    'class Port { hrtime() {} }',
    'setTimeout(run, 5); setInterval(run, 5)',
    'AbortSignal.timeout(5)',
    'globalThis.fetch',
    'crypto.subtle',
    'process.env',
  ])('%s', (text) => {
    expect(found(text)).toEqual([]);
  });
});
