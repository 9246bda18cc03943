import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../harness/running-server.ts';
import { blocks, readGuide, writeCode } from './guide-code.ts';

const guide = readGuide('what-was-heard');
const FILE = writeCode('what-was-heard/pier.ts', blocks(guide, 'ts').join('\n'));

// The ages of a slow machine would be others than those of the page.
const ARGUMENTS = ['--import', 'data:text/javascript,const now = Date.now(); Date.now = () => now;'];

it('prints what the guide says', () => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...ARGUMENTS, FILE], { encoding: 'utf8' });
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: blocks(guide, 'text')[0], stderr: '' });
});

it('is well typed', () => {
  const compilerOptions = { composite: false, emitDeclarationOnly: false, noEmit: true, rootDir: '../..' };
  const config = writeCode(
    'what-was-heard/tsconfig.json',
    JSON.stringify({ extends: '../../tsconfig.base.json', compilerOptions, files: ['pier.ts'] }),
  );
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { stdout } = spawnSync(process.execPath, [tsc, '-p', config], { cwd: ROOT, encoding: 'utf8' });
  expect(stdout.split('\n').filter((line) => line.includes('what-was-heard'))).toEqual([]);
});
