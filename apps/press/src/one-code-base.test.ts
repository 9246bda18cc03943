import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const HERE = dirname(fileURLToPath(import.meta.url));

/** What a module names, and what that names, and so on. */
function reachedFrom(
  file: string,
  seen = new Map<string, readonly string[]>(),
): ReadonlyMap<string, readonly string[]> {
  if (seen.has(file) || file.endsWith('.json')) return seen;
  const named = [...readFileSync(file, 'utf8').matchAll(/^(?:import|export) [^;]*?from '([^']+)'/gm)].map(
    ([, name = '']) => name,
  );
  seen.set(file, named);
  for (const name of named) if (name.startsWith('.')) reachedFrom(join(dirname(file), name), seen);
  return seen;
}

const builtins = (file: string) =>
  new Set([...reachedFrom(join(HERE, file)).values()].flat().filter((name) => name.startsWith('node:')));

describe('everything behind a request', () => {
  it('stands on nothing of Node but its hashes, so that it runs wherever requests come in', () => {
    expect(reachedFrom(join(HERE, 'press.ts')).size).toBeGreaterThan(25);
    expect([...builtins('press.ts')]).toEqual(['node:crypto']);
    expect([...builtins('git/github-repository.ts')]).toEqual([]);
  });

  it('would be seen to reach further', () => {
    expect([...builtins('open-press.ts')]).toContain('node:sqlite');
    expect([...builtins('open-press.ts')]).toContain('node:child_process');
  });
});
