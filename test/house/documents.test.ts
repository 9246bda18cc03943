import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listFiles, ROOT } from './source-tree.ts';
import { WORKSPACES } from './workspaces.ts';

const pages = listFiles().filter((path) => path.endsWith('.md'));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** Targets of inline links that lead to a file of the house, without their fragment. */
function localLinks(text: string): readonly string[] {
  const targets = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target.replace(/#.*$/, ''));
  return targets.filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}

describe('documents', () => {
  it.each(['ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md'])('%s is there', (path) => {
    expect(read(path)).toMatch(/^# /);
  });

  it('link only to files that are there', () => {
    const broken = pages.flatMap((page) =>
      localLinks(read(page))
        .filter((target) => !existsSync(join(ROOT, dirname(page), target)))
        .map((target) => `${page} → ${target}`),
    );
    expect(pages.length).toBeGreaterThan(0);
    expect(broken).toEqual([]);
  });

  it('show every workspace on the map of the house', () => {
    const map = read('ARCHITECTURE.md');
    expect(WORKSPACES.filter(({ folder }) => !map.includes(`\`${folder}\``))).toEqual([]);
  });

  it('number each decision once, without a gap', () => {
    const numbers = pages
      .filter((path) => path.startsWith('docs/decisions/'))
      .map((path) => Number(/\/(\d{4})-[a-z0-9-]+\.md$/.exec(path)?.[1]));
    expect(numbers.sort((a, b) => a - b)).toEqual(numbers.map((_, i) => i + 1));
  });
});
