import fc from 'fast-check';
import { QUESTIONS } from './questions.ts';
import { NOWHERE, type View } from './views.ts';

export type Era = 'modern' | 'legacy';

/**
 * A version published by the system; null takes the fact back. `review` is when it grows stale, in seconds from
 * the beginning; `clip` is the bytes that ride with it.
 */
export interface Write {
  readonly do: 'write';
  readonly uri: string;
  readonly value: string | null;
  readonly review: number | null;
  readonly clip?: string;
}

/** Somebody asks something. `who` counts observers, or outsiders where it is hidden. */
export interface Ask {
  readonly do: 'ask';
  readonly who: number;
  readonly era: Era;
  readonly what: string;
  readonly uri: string;
}

/** Somebody opens a stream, for these URIs and perhaps the list and the log of changes. */
export interface Listen {
  readonly do: 'listen';
  readonly who: number;
  readonly era: Era;
  readonly uris: readonly string[];
  readonly list: boolean;
  readonly log: boolean;
}

/** What happens in both worlds. */
export type Step =
  | Write
  | Ask
  | Listen
  | { readonly do: 'wait'; readonly seconds: number }
  | { readonly do: 'leave'; readonly who: number };

/** What no observer may learn of. */
export type Hidden = Write | Ask | Listen | { readonly do: 'revoke'; readonly who: number };

/** One moment of a trace: what is hidden in either world, and then what both share. */
export interface Moment {
  readonly inOne: readonly Hidden[];
  readonly inOther: readonly Hidden[];
  readonly step: Step;
}

/** What happens, and what stands around it: see the transcript. */
export interface Trace {
  /** Whether every observer listens from the beginning. */
  readonly early: boolean;
  readonly moments: readonly Moment[];
  /** Which questions are asked at the end. */
  readonly salt: number;
}

/** Traces for a view. A counterexample shrinks towards no hidden steps, few moments and early questions. */
export function tracesFor({ seen, hidden, observers, outsiders }: View): fc.Arbitrary<Trace> {
  const anyUri = fc.oneof(
    { arbitrary: fc.constantFrom(...hidden), weight: 4 },
    { arbitrary: fc.constantFrom(...seen), weight: 4 },
    { arbitrary: fc.constantFrom(...NOWHERE), weight: 1 },
  );
  const harmless = QUESTIONS.filter(({ writes }) => !writes).map(({ name }) => name);
  const every = QUESTIONS.map(({ name }) => name);
  const concealed: fc.Arbitrary<Hidden> = fc.oneof(
    { arbitrary: writesTo(hidden), weight: 6 },
    { arbitrary: asksOf(outsiders.length, harmless, anyUri), weight: 2 },
    { arbitrary: listensOf(outsiders.length, anyUri), weight: 2 },
    { arbitrary: revocationsOf(outsiders.length), weight: 1 },
  );
  const shared: fc.Arbitrary<Step> = fc.oneof(
    { arbitrary: asksOf(observers.length, every, anyUri), weight: 4 },
    { arbitrary: writesTo(seen), weight: 4 },
    { arbitrary: listensOf(observers.length, anyUri), weight: 2 },
    { arbitrary: fc.record({ do: fc.constant('wait' as const), seconds: fc.nat(2000) }), weight: 1 },
    { arbitrary: fc.record({ do: fc.constant('leave' as const), who: whoOf(observers.length) }), weight: 1 },
  );
  const moment = fc.record({
    inOne: fc.array(concealed, { maxLength: 1 }),
    inOther: fc.array(concealed, { maxLength: 3 }),
    step: shared,
  });
  return fc.record({ early: fc.boolean(), moments: fc.array(moment, { maxLength: 12 }), salt: fc.nat(7) });
}

function writesTo(uris: readonly string[]): fc.Arbitrary<Write> {
  const always = {
    do: fc.constant('write' as const),
    uri: fc.constantFrom(...uris),
    value: fc.oneof(
      { arbitrary: fc.constantFrom('Walk 5 minutes.', 'Walk 9 minutes.', 'Rest. 休む'), weight: 5 },
      { arbitrary: fc.constant(null), weight: 1 },
    ),
    review: fc.oneof(fc.constant(null), fc.integer({ min: -1000, max: 3000 })),
  };
  const maybe = { clip: fc.constantFrom('RIFF', 'RIFF and more') };
  return fc.record({ ...always, ...maybe }, { requiredKeys: ['do', 'uri', 'value', 'review'] });
}

function asksOf(people: number, questions: readonly string[], uri: fc.Arbitrary<string>): fc.Arbitrary<Ask> {
  const what = fc.constantFrom(...questions);
  return fc.record({ do: fc.constant('ask' as const), who: whoOf(people), era: anyEra(), what, uri });
}

function listensOf(people: number, uri: fc.Arbitrary<string>): fc.Arbitrary<Listen> {
  const uris = fc.array(uri, { maxLength: 4 });
  const wanted = { uris, list: fc.boolean(), log: fc.boolean() };
  return fc.record({ do: fc.constant('listen' as const), who: whoOf(people), era: anyEra(), ...wanted });
}

function revocationsOf(people: number): fc.Arbitrary<Hidden> {
  return fc.record({ do: fc.constant('revoke' as const), who: whoOf(people) });
}

function whoOf(people: number): fc.Arbitrary<number> {
  return fc.nat(people - 1);
}

function anyEra(): fc.Arbitrary<Era> {
  return fc.constantFrom('modern' as const, 'legacy' as const);
}
