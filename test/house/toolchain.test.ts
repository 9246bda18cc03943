import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ROOT } from './source-tree.ts';

function run(cwd: string, program: string, ...args: readonly string[]) {
  const path = join(ROOT, 'node_modules', program);
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { cwd, encoding: 'utf8' });
  return { status, output: `${stdout}${stderr}` };
}

const tsc = (cwd: string) => run(cwd, 'typescript/bin/tsc', '-b');

describe('what npm run check runs first', () => {
  it('finds every workspace and its tests well typed', () => {
    const { status, output } = tsc(ROOT);
    expect(status, output).toBe(0);
  }, 300_000);

  it('finds every file linted and formatted', () => {
    const { status, output } = run(ROOT, '@biomejs/biome/bin/biome', 'check', '--error-on-warnings');
    expect(status, output).toBe(0);
  });
});

describe('the type checker keeps workspaces apart', () => {
  const folder = mkdtempSync(join(tmpdir(), 'house-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** Two workspaces under the real base configuration; `user` refers to `maker` only where told to. */
  function house(references: readonly string[], userText: string) {
    cpSync(join(ROOT, 'tsconfig.base.json'), join(folder, 'tsconfig.base.json'));
    const config = (paths: readonly string[]) =>
      JSON.stringify({
        extends: '../tsconfig.base.json',
        compilerOptions: { rootDir: '.', types: [] },
        include: ['src'],
        references: paths.map((path) => ({ path })),
      });
    const files = {
      'tsconfig.json': JSON.stringify({ files: [], references: [{ path: 'maker' }, { path: 'user' }] }),
      'package.json': JSON.stringify({ type: 'module' }),
      'maker/tsconfig.json': config([]),
      'maker/src/index.ts': 'export const made: number = 1;\n',
      'user/tsconfig.json': config(references),
      'user/src/index.ts': userText,
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return tsc(folder);
  }

  const REACH = "import { made } from '../../maker/src/index.ts';\nexport const used: number = made;\n";

  it('refuses a reach into a workspace that was not declared', () => {
    const { status, output } = house([], REACH);
    expect(status).not.toBe(0);
    expect(output).toMatch(/TS6059|TS6307/);
  });

  it('accepts the same reach once it is declared, which is why the import gate judges it too', () => {
    expect(house(['../maker'], REACH)).toEqual({ status: 0, output: '' });
  });

  it.each([
    ['an enum', 'export enum Colour { Red }', 'TS1294'],
    ['an index that may be absent', 'export const first: string = [""][0];', 'TS2322'],
    ['an optional field set to undefined', 'export const a: { b?: string } = { b: undefined };', 'TS2375'],
    ['a browser global', 'export const page: unknown = document;', 'TS2584'],
  ])('refuses %s', (_what, text, code) => {
    expect(house([], text).output).toContain(code);
  });
});
