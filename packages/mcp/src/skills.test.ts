import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { skillOf } from './skills.ts';

const TEXT = `---
name: greeter
description: Says hello — in any language. Use it when somebody comes in.
metadata:
  example/kind: test
---

Say „hello“.
`;

describe('a skill of one file', () => {
  it('has an entry with its front matter, and the digest and size of its bytes', async () => {
    const { entry, file } = await skillOf('greeter', TEXT, { listed: false });
    const bytes = Buffer.from(TEXT);
    expect(bytes.length).toBeGreaterThan(TEXT.length);
    const uri = 'skill://greeter/SKILL.md';
    const description = 'Says hello — in any language. Use it when somebody comes in.';
    expect(entry).toEqual({
      uri,
      frontmatter: { name: 'greeter', description, metadata: { 'example/kind': 'test' } },
      resources: [{ uri, digest: `sha256:${hash('sha256', bytes)}`, size: bytes.length }],
    });
    expect(file).toEqual({
      entry: { uri, name: 'greeter', description, mimeType: 'text/markdown', size: bytes.length },
      content: { uri, mimeType: 'text/markdown', text: TEXT },
      listed: false,
    });
  });

  it.each([
    ['another name than its folder', TEXT.replace('name: greeter', 'name: waver')],
    ['no description', TEXT.replace(/description: .*\n/, '')],
    ['no front matter', 'Say hello.'],
    ['a list for its front matter', TEXT.replace('name: greeter', '- greeter')],
  ])('may not have %s', async (_what, text) => {
    await expect(skillOf('greeter', text, { listed: true })).rejects.toThrow(/skill|SKILL/);
  });
});
