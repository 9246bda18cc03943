import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exportsOf, type Face, hiddenTypes, importedFrom, readFace, unusedExports } from './public-face.ts';
import { ROOT } from './source-tree.ts';

/** Modules that others import by name, and the page and heading under which their exports are listed. */
const FACES = [
  {
    specifier: '@unsay/live-resources',
    index: 'packages/live-resources/src/index.ts',
    page: 'packages/live-resources/README.md',
    heading: 'Exports',
  },
  {
    specifier: '@unsay/live-resources/ledger',
    index: 'packages/live-resources/src/ledger/index.ts',
    page: 'packages/live-resources/README.md',
    heading: 'Exports of the ledger',
  },
] as const;

/** The names in the table under a heading of a page. */
function listed(page: string, heading: string): readonly string[] {
  const sections = readFileSync(join(ROOT, page), 'utf8').split(/^## /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('| '));
  return rows.flatMap((row) => [...row.matchAll(/`([A-Za-z_]+)`/g)].map(([, name]) => name ?? '')).sort();
}

describe.each(FACES)('what $specifier exports', ({ specifier, index, page, heading }) => {
  const face = readFace(index, specifier);
  const others = FACES.filter((other) => other.page === page).map((other) =>
    readFace(other.index, other.specifier),
  );
  const exported = exportsOf(face);

  it('is what its page lists, so that it grows on purpose', () => {
    expect(exported.length).toBeGreaterThan(10);
    expect(exported.map(({ name }) => name).sort()).toEqual(listed(page, heading));
  });

  it('is used outside, or is in the signature of something that is', () => {
    expect(unusedExports(face)).toEqual([]);
  });

  it('lets whoever uses it name every type of its signatures', () => {
    expect(hiddenTypes(face, others)).toEqual([]);
  });

  it('says of each what it is', () => {
    expect(exported.filter(({ documented }) => !documented)).toEqual([]);
  });
});

describe('planted', () => {
  const INDEX = { path: 'p/src/index.ts', text: "export { type Key, open, type Shut } from './door.ts';" };
  const DOOR = `
    /** A key. */
    export type Key = string;
    /** Opens with a key. */
    export function open(key: Key, lamp: Lamp = {}): Lock { const wood: Wood = key; return { wood }; }
    /** What a key opens. */
    export interface Lock { readonly key: Key }
    export interface Shut extends Lock {}
    type Wood = string;
    /** A light. */
    export interface Lamp {}
  `;
  const door = (text: string, ...imported: string[]): Face => ({
    modules: [INDEX, { path: 'p/src/door.ts', text }],
    imported: new Set(imported),
  });

  it('an export that nobody uses is named, and one that a used signature mentions is not', () => {
    expect(unusedExports(door(DOOR, 'open'))).toEqual(['Shut']);
    expect(unusedExports(door(DOOR))).toEqual(['Key', 'open', 'Shut']);
    expect(unusedExports(door(DOOR, 'open', 'Shut'))).toEqual([]);
  });

  it('a type of a signature that is not exported is named, and one of a body is not', () => {
    expect(hiddenTypes(door(DOOR))).toEqual(['Lock']);
    const inside = { path: 'p/src/inside.ts', text: "export type { Lock } from './door.ts';" };
    const other = { ...door(DOOR), modules: [inside, { path: 'p/src/door.ts', text: DOOR }] };
    expect(hiddenTypes(door(DOOR), [other])).toEqual([]);
  });

  it('an export without a comment of its own is named', () => {
    const undocumented = exportsOf(door(DOOR)).filter(({ documented }) => !documented);
    expect(undocumented.map(({ name }) => name)).toEqual(['Shut']);
  });

  it('an export of what is not there, or of something else than a name, is a fault', () => {
    expect(() => exportsOf(door('export type Key = string;'))).toThrow('does not declare open');
    const own = { ...door(DOOR), modules: [{ path: 'p/src/index.ts', text: 'export const a = 1;' }] };
    expect(() => exportsOf(own)).toThrow('more than to export');
    expect(() => exportsOf({ modules: [], imported: new Set() })).toThrow('no module');
  });

  it('an import counts under the name that it has in the package, from that specifier alone', () => {
    const text = `
      import { type Key as Opener, open } from '@x/door';
      import type { Shut } from '@x/door';
      import { Lock } from '@x/door/inside';
    `;
    expect(importedFrom({ path: 'q/src/a.ts', text }, '@x/door')).toEqual(['Key', 'open', 'Shut']);
  });
});
