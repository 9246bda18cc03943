import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type StaticResource, staticAt, withListed } from './static-resources.ts';

function fixed(uri: string, listed = true): StaticResource {
  return { entry: { uri, name: uri }, content: { uri, text: uri }, listed };
}

const uris = fc.uniqueArray(
  fc
    .tuple(fc.constantFrom('care', 'care-internal', 'skill', 'ui'), fc.nat(500))
    .map(([scheme, name]) => `${scheme}://${name.toString(36)}`),
  { maxLength: 20 },
);

/** A page as a list of facts gives it: those after a URI, as many as are asked for. */
function factsAfter(facts: readonly string[], after: string | null, limit: number) {
  return [...facts]
    .sort()
    .filter((uri) => after === null || uri > after)
    .slice(0, limit)
    .map((uri) => ({ uri, name: uri }));
}

it('are listed among the entries in one order, each once, whatever the size of a page', () => {
  fc.assert(
    fc.property(uris, fc.nat(20), fc.integer({ min: 1, max: 5 }), (all, split, size) => {
      const facts = all.slice(split);
      const statics = all.slice(0, split).map((uri) => fixed(uri));
      const seen: string[] = [];
      let after: string | null = null;
      for (let page = 0; page <= all.length; page += 1) {
        const following = withListed(factsAfter(facts, after, size + 1), statics, after);
        const shown = following.slice(0, size).map(({ uri }) => uri);
        seen.push(...shown);
        after = shown.at(-1) ?? null;
        if (following.length <= size) break;
      }
      expect(seen).toEqual([...all].sort());
    }),
  );
});

it('are found by exactly their URI, and listed only where they are to be', () => {
  const statics = [fixed('ui://a/b'), fixed('skill://a/b', false)];
  expect(withListed([], statics, null).map(({ uri }) => uri)).toEqual(['ui://a/b']);
  expect(staticAt(statics, 'skill://a/b')).toBe(statics[1]);
  for (const other of ['UI://a/b', 'ui://a/b/', 'ui://a/%62', 'ui://a/b#c', ''])
    expect(staticAt(statics, other)).toBeUndefined();
});
