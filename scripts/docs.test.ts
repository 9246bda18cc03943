import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { GENERATED, readDocument, withPart } from './generated-documents.ts';

function docs(...args: readonly string[]) {
  const path = join(import.meta.dirname, 'docs.ts');
  const { status, stdout, stderr } = spawnSync(process.execPath, [path, ...args], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

describe('generated documents', () => {
  it.each(GENERATED.map((document) => [document.path, document] as const))(
    '%s is what npm run docs makes of it',
    (path, { text }) => {
      const now = readDocument(path);
      expect(now).not.toBe('');
      expect(text(now)).toBe(now);
    },
  );

  it('are checked without being written', () => {
    const { status, stdout } = docs('--check');
    expect([status, stdout.trim().split('\n')]).toEqual([
      0,
      GENERATED.map(({ path }) => `${path}: up to date`),
    ]);
  });

  it.each([[['--chekc']], [['--check', 'more']]])('refuse %j', (args) => {
    expect(docs(...args)).toMatchObject({ status: 2, stdout: '' });
  });

  it('explain themselves', () => {
    expect(docs('--help')).toMatchObject({
      status: 0,
      stderr: '',
      stdout: expect.stringContaining('--check'),
    });
  });
});

describe('a part of a document', () => {
  const document = 'before\n<!-- generated: x -->\nold\n<!-- end of x -->\nafter\n';

  it('is exchanged, and nothing else is', () => {
    expect(withPart(document, 'x', 'new\n')).toBe(document.replace('old', 'new'));
  });

  it('has a place, or is refused', () => {
    expect(() => withPart(document, 'y', 'new\n')).toThrow('there is no place for y');
  });
});
