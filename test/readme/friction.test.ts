import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { blocks, writeCode } from './guide-code.ts';
import { pointersOf, problemOf, readDocument } from './pointers.ts';

const FRICTION = 'docs/friction.md';
const text = readDocument(FRICTION);
const [introduction = '', ...entries] = text.split(/^## /m);
const [prelude = ''] = blocks(introduction, 'js');

/** An entry with code: its title, the code, and what it says will be seen. */
const reproductions = entries.flatMap((entry) => {
  const [code] = blocks(entry, 'js');
  if (code === undefined) return [];
  const [title = ''] = entry.split('\n');
  const [, seen = ''] = /^```\n\n`(.+)`$/m.exec(entry) ?? [];
  return [{ title, code, seen }];
});

describe('the list of frictions', () => {
  it('has a test for each, and code for what can be shown in a few lines', () => {
    expect(reproductions.length).toBeGreaterThan(13);
    const untested = entries.filter(
      (entry) => !pointersOf(FRICTION, entry).some(({ path }) => path.endsWith('.test.ts')),
    );
    expect(untested.map((entry) => entry.split('\n')[0])).toEqual([]);
  });

  it('points to nothing that is not there', () => {
    expect(
      pointersOf(FRICTION, text)
        .map(problemOf)
        .filter((problem) => problem !== null),
    ).toEqual([]);
  });

  it('names the versions that are pinned', () => {
    const pinned = { ...manifest('packages/mcp/package.json'), ...manifest('package.json') };
    const named = [
      ...text.matchAll(/`(@modelcontextprotocol\/server)` (\d+\.\d+\.\d+)|(Node) (\d+\.\d+\.\d+)/g),
    ];
    expect(named.length).toBeGreaterThan(1);
    for (const [, scoped, version, , node] of named) {
      expect(version ?? node).toBe(pinned[scoped ?? 'node']);
    }
  });

  it.each(reproductions.map((one, index) => ({ ...one, index })))(
    'is still as it says: $title',
    async ({ code, seen, index }) => {
      const file = writeCode(`friction-${index}.mjs`, `${prelude}\n${code}`);
      const shown = (await import(pathToFileURL(file).href)) as { seen: unknown };
      expect(shown.seen).toEqual(JSON.parse(seen));
    },
  );
});

function manifest(path: string): Readonly<Record<string, string>> {
  const { dependencies = {}, devDependencies = {} } = JSON.parse(readDocument(path)) as Record<
    'dependencies' | 'devDependencies',
    Record<string, string> | undefined
  >;
  return { ...dependencies, ...devDependencies };
}
