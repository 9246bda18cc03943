import { describe, expect, it } from 'vitest';
import { DoesNotHold, holds, tellAll } from './story.ts';

const fine = { title: 'a step that holds', tell: async () => {} };
const wrong = {
  title: 'a step that does not',
  async tell() {
    holds(false, 'the sky is green');
  },
};
const broken = {
  title: 'a step that breaks',
  async tell() {
    throw new TypeError('fetch failed');
  },
};

async function told(steps: Parameters<typeof tellAll>[0]): Promise<{ all: boolean; lines: string[] }> {
  const lines: string[] = [];
  const all = await tellAll(steps, undefined, (line) => lines.push(line));
  return { all, lines };
}

describe('telling a story', () => {
  it('ends with the number of steps when every one held', async () => {
    const { all, lines } = await told([fine, fine]);
    expect(all).toBe(true);
    expect(lines.at(-1)).toBe('2 steps held');
  });

  it.each([
    ['does not hold', wrong, 'the sky is green'],
    ['breaks', broken, 'fetch failed'],
  ])('says why a step %s, and tells on', async (_what, step, why) => {
    const { all, lines } = await told([step, fine]);
    expect(all).toBe(false);
    expect(lines.join('\n')).toContain(why);
    expect(lines.at(-1)).toBe('1 of 2 steps held');
  });

  it('does not hold without steps', async () => {
    expect((await told([])).all).toBe(false);
  });

  it('quotes every line of what the server said', async () => {
    const { lines } = await told([{ title: 'words', tell: async (_world, { quote }) => quote('one\ntwo') }]);
    expect(lines.filter((line) => /one|two/.test(line))).toHaveLength(2);
  });

  it('names what does not hold as such', () => {
    expect(() => holds(false, 'no')).toThrow(DoesNotHold);
  });
});
