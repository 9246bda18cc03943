import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allOf, createLiveScene, principalOf, publicationOf, writer } from '../testing/live-scene.ts';
import type { Principal } from './principal.ts';
import { renderRetraction, renderSpoken } from './retraction.ts';
import { ageOf } from './staleness.ts';

/**
 * Two worlds that differ only in what a principal may not see answer it alike, byte for byte. What differs
 * may be anything: more facts, other words, other subjects, more entries in every count the server keeps.
 */

interface Write {
  readonly kind: 'write';
  readonly uri: string;
  readonly value: string;
}
type Step =
  | Write
  | { readonly kind: 'time'; readonly elapsed: number }
  | { readonly kind: 'ask'; readonly question: number };
interface World {
  readonly hidden: Write[];
  readonly step: Step;
}

const TOPICS = ['a', 'b'];
// A topic belongs to one audience, so no hidden write can stand in the way of one that is seen.
const SPOKEN = TOPICS.map((topic) => `spoken-${topic}`);
const INTERNAL = TOPICS.map((topic) => `internal-${topic}`);

/** Who asks, and which URIs it must learn nothing of. */
const LISTENERS: readonly {
  readonly name: string;
  readonly principal: Principal;
  readonly hidden: string[];
}[] = [
  {
    name: 'who may hear what is spoken to one subject',
    principal: principalOf(['read.user'], ['ray']),
    hidden: [
      ...INTERNAL.map((topic) => `fact-internal://ray/${topic}`),
      ...['fact-internal', 'fact'].flatMap((scheme) => TOPICS.map((topic) => `${scheme}://eve/${topic}`)),
    ],
  },
  {
    name: 'who may read what is internal of one subject',
    principal: principalOf(['read.assistant'], ['ray']),
    hidden: [
      ...SPOKEN.map((topic) => `fact://ray/${topic}`),
      ...TOPICS.map((topic) => `fact://eve/${topic}`),
    ],
  },
  {
    name: 'who may hear what is spoken to every subject',
    principal: principalOf(['read.user'], '*'),
    hidden: [...INTERNAL.map((topic) => `fact-internal://ray/${topic}`), 'fact-internal://ann/x'],
  },
  {
    name: 'who may read everything of one subject and write',
    principal: principalOf(['read.user', 'read.assistant', 'write'], ['ray']),
    hidden: TOPICS.flatMap((topic) => [`fact://eve/${topic}`, `fact-internal://ann/${topic}`]),
  },
];
const VISIBLE = [
  ...SPOKEN.map((topic) => `fact://ray/${topic}`),
  ...INTERNAL.map((topic) => `fact-internal://ray/${topic}`),
];

function writesTo(uris: readonly string[]): fc.Arbitrary<Write> {
  return fc.record({
    kind: fc.constant('write' as const),
    uri: fc.constantFrom(...uris),
    value: fc.string({ unit: 'binary', minLength: 1, maxLength: 8 }),
  });
}

function tracesFor(hidden: readonly string[]): fc.Arbitrary<World[]> {
  const seen = VISIBLE.filter((uri) => !hidden.includes(uri));
  const step: fc.Arbitrary<Step> = fc.oneof(
    { arbitrary: writesTo(seen), weight: 4 },
    {
      arbitrary: fc.record({ kind: fc.constant('time' as const), elapsed: fc.integer({ min: -9, max: 99 }) }),
      weight: 1,
    },
    { arbitrary: fc.record({ kind: fc.constant('ask' as const), question: fc.nat() }), weight: 3 },
  );
  return fc.array(fc.record({ hidden: fc.array(writesTo(hidden), { maxLength: 4 }), step }), {
    maxLength: 25,
  });
}

/** Bytes as hex, so that a difference can be read. */
function spell(answer: unknown): string {
  return JSON.stringify(answer, (_name, value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value,
  );
}

/** Lives through a trace and writes down every answer, with the hidden writes or without them. */
async function transcript(
  principal: Principal,
  trace: readonly World[],
  uris: string[],
  withHidden: boolean,
): Promise<string[]> {
  const { live, clock } = createLiveScene();
  const answers: string[] = [];
  let [cursor, page]: (string | null)[] = [null, null];
  const questions: (() => Promise<unknown>)[] = [
    async () => {
      const outcome = await live.changes(principal, { subject: null, since: null, after: cursor ?? null });
      if (outcome.kind === 'changes') cursor = outcome.cursor;
      const said = outcome.kind === 'changes' ? outcome.changes : [];
      return [outcome, said.map(({ previous, version }) => renderRetraction(previous, version, clock, []))];
    },
    () => live.changes(principal, { subject: 'ray', since: null, after: null }),
    () => live.changes(principal, { subject: 'eve', since: null, after: null }),
    async () => {
      const facts = await live.list(principal, page ?? null, 2);
      page = facts.at(-1)?.uri ?? null;
      return facts.map((fact) => [fact, ageOf(fact, clock), renderSpoken(fact, clock)]);
    },
    () => allOf(live.verify(principal, { subject: null, topic: null })),
    ...uris.flatMap((uri) => [
      () => live.read(principal, uri),
      () => live.read(principal, `${uri}/v1`),
      () =>
        live.read(
          principal,
          uri.replace(/^[a-z-]+/, (scheme) => (scheme === 'fact' ? 'fact-internal' : 'fact')),
        ),
    ]),
  ];
  for (const { hidden, step } of trace) {
    if (withHidden) {
      for (const { uri, value } of hidden) await live.publish(writer, publicationOf(uri, value));
    }
    if (step.kind === 'write') {
      // The entry is for the server's own follower; the writer is told of the version.
      const outcome = await live.publish(writer, publicationOf(step.uri, step.value));
      answers.push(spell(outcome.kind === 'published' ? outcome.version : outcome));
    }
    if (step.kind === 'time') clock.advance(step.elapsed * 1000);
    if (step.kind === 'ask') {
      answers.push(spell(await questions[step.question % questions.length]?.()));
    }
  }
  for (const question of questions) answers.push(spell(await question()));
  return answers;
}

describe('what may not be seen does not show', () => {
  it.each(LISTENERS)('to $name', async ({ principal, hidden }) => {
    await fc.assert(
      fc.asyncProperty(tracesFor(hidden), async (trace) => {
        const uris = [...VISIBLE, ...hidden];
        const bare = await transcript(principal, trace, uris, false);
        expect(await transcript(principal, trace, uris, true)).toEqual(bare);
      }),
      { numRuns: 60 },
    );
  });

  it('while what may be seen does: the comparison is not of empty transcripts', async () => {
    const trace: World[] = [
      { hidden: [], step: { kind: 'write', uri: 'fact://ray/spoken-a', value: 'one' } },
      { hidden: [], step: { kind: 'write', uri: 'fact://ray/spoken-a', value: 'two' } },
      {
        hidden: [{ kind: 'write', uri: 'fact-internal://ray/internal-a', value: 'x' }],
        step: { kind: 'ask', question: 0 },
      },
    ];
    const uris = [...VISIBLE, 'fact-internal://ray/internal-a'];
    const narrow = await transcript(principalOf(['read.user']), trace, uris, true);
    const wide = principalOf(['read.user', 'read.assistant']);
    expect(narrow[2]).toContain('I take back what I said: “one”');
    expect(await transcript(wide, trace, uris, true)).not.toEqual(await transcript(wide, trace, uris, false));
  });
});
