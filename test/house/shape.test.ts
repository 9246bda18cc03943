import { describe, expect, it } from 'vitest';
import { findMisshapen } from './shape.ts';
import { readModules } from './source-tree.ts';

const lines = (count: number) => 'export {};\n'.repeat(count);

describe('modules are small and say what they are', () => {
  it('holds for every module of the house', () => {
    expect(findMisshapen(readModules())).toEqual([]);
  });

  it('fails where it saw nothing', () => {
    expect(() => findMisshapen([])).toThrow('no module');
  });

  it.each([
    ['packages/auth/src/utils.ts', '', 'says nothing'],
    ['packages/auth/src/types.test.ts', '', 'says nothing'],
    ['packages/auth/src/common/clock.ts', '', 'says nothing'],
    ['packages/core/src/clock.ts', '', 'says nothing'],
    ['test/helpers.ts', '', 'says nothing'],
    ['packages/auth/src/index.ts', "export * from './token.ts';", 'export *'],
    ['packages/auth/src/index.ts', "export * as token from './token.ts';", 'export *'],
    ['packages/auth/src/index.ts', "export type * from './token.ts';", 'export *'],
    ['packages/auth/src/token.ts', lines(401), '401 lines'],
    ['packages/auth/src/token.test.ts', lines(401), '401 lines'],
  ])('catches %s %s', (path, text, why) => {
    const found = findMisshapen([{ path, text }]);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(why);
  });

  it('allows 400 lines and names that mean something', () => {
    expect(findMisshapen([{ path: 'packages/auth/src/token-types.ts', text: lines(400) }])).toEqual([]);
  });
});
