import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifests } from './manifests.ts';
import { listFiles, ROOT } from './source-tree.ts';
import { ROOT_WORKSPACE, WORKSPACES } from './workspaces.ts';

const manifests = readManifests();
const HOUSE = WORKSPACES.map(({ name }) => name);

function manifestOf(folder: string) {
  const manifest = manifests.get(folder);
  if (manifest === undefined) throw new Error(`${folder} has no package.json`);
  return manifest;
}

describe.each([ROOT_WORKSPACE, ...WORKSPACES])('$name', ({ folder, name, dependencies, devDependencies }) => {
  const manifest = manifestOf(folder);

  it('has the name that the table gives it', () => {
    expect(manifest.name).toBe(name);
  });

  it('declares the dependencies in the table and no others', () => {
    expect(Object.keys(manifest.dependencies).sort()).toEqual([...dependencies].sort());
    expect(Object.keys(manifest.devDependencies).sort()).toEqual([...devDependencies].sort());
    expect(manifest.others).toEqual([]);
  });

  it('pins each of them to one version', () => {
    const versions = Object.values({ ...manifest.dependencies, ...manifest.devDependencies });
    expect(versions.filter((version) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
  });

  it('is under Apache-2.0', () => {
    expect(manifest.license).toBe('Apache-2.0');
  });
});

describe('the house', () => {
  it('has a row in the table for every package.json', () => {
    const folders = listFiles()
      .filter((path) => path.endsWith('/package.json'))
      .map((path) => path.slice(0, -'/package.json'.length));
    expect(folders.sort()).toEqual(WORKSPACES.map(({ folder }) => folder).sort());
  });

  it('carries the text of its licence', () => {
    const text = readFileSync(join(ROOT, 'LICENSE'), 'utf8');
    expect(text).toContain('Apache License');
    expect(text).toContain('Version 2.0, January 2004');
    expect(text).toContain('END OF TERMS AND CONDITIONS');
  });

  it('says in docs/decisions why each dependency is there', () => {
    const folder = join(ROOT, 'docs/decisions');
    const decisions = readdirSync(folder)
      .map((file) => readFileSync(join(folder, file), 'utf8'))
      .join('\n');
    const declared = [...manifests.values()].flatMap(({ dependencies, devDependencies }) => [
      ...Object.keys(dependencies),
      ...Object.keys(devDependencies),
    ]);
    const foreign = declared.filter((name) => !HOUSE.includes(name));
    expect(foreign.length).toBeGreaterThan(0);
    expect(foreign.filter((name) => !decisions.includes(`\`${name}\``))).toEqual([]);
  });
});
