import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { later, START, sampleFact, type VersionParts, versionAfter } from '../testing/sample-facts.ts';
import { createVirtualClock } from '../testing/virtual-clock.ts';
import { epochMs } from './clock.ts';
import { type GlossaryEntry, renderRetraction, renderSpoken } from './retraction.ts';
import type { FactVersion } from './version.ts';

const fact = sampleFact('user', 'ray', 'walking');
const MINUTE = 60_000;
const clock = createVirtualClock(epochMs(START) + 5 * MINUTE);

function pair(previous: VersionParts, current: VersionParts): [FactVersion, FactVersion] {
  const first = versionAfter({ fact: null, lane: null }, fact, previous);
  const lane = { ordinal: first.laneOrdinal, writtenAt: first.writtenAt };
  return [first, versionAfter({ fact: first, lane }, fact, { writtenAt: later(START, MINUTE), ...current })];
}

function retraction(
  previous: VersionParts,
  current: VersionParts,
  glossary: readonly GlossaryEntry[] = [],
): string {
  return renderRetraction(...pair(previous, current), clock, glossary);
}

const texts = fc.string({ unit: 'binary', minLength: 1 });

describe('a retraction', () => {
  it('withdraws first, then names the old words, then the new ones with age and author', () => {
    const said = retraction(
      { value: 'Put no more than 20 kg on your left leg.' },
      { value: 'Put no more than 30 kg on your left leg.', authorLabel: 'the physiotherapist' },
    );
    expect(said).toBe(
      'Stop. I take back what I said: “Put no more than 20 kg on your left leg.” ' +
        'It now says: “Put no more than 30 kg on your left leg.” Changed 4 minutes ago by the physiotherapist.',
    );
  });

  it('holds both values to the letter, whatever they are', () => {
    fc.assert(
      fc.property(texts, texts, texts, (before, after, authorLabel) => {
        const said = retraction({ value: before }, { value: after, authorLabel });
        expect(said).toBe(
          `Stop. I take back what I said: “${before}” It now says: “${after}” Changed 4 minutes ago by ${authorLabel}.`,
        );
      }),
    );
  });

  it.each([
    ['1.25 mg', '12.5 mg'],
    ['0,5 ml', '5 ml'],
    ['5 µg', '5 mg'],
    ['10⁻³ mol', '10³ mol'],
    ['½ tablet', '1½ tablets'],
    ['the left leg', 'the right leg'],
    ['Do not bend.', 'Do bend.'],
    ["Don't walk.", 'Do walk.'],
    ['nothing by mouth', 'something by mouth'],
    ['≤ 90°', '≥ 90°'],
    ['−5 °C', '5 °C'],
    ['١٠ mg', '10 mg'],
    ['2026-12-01', '2026-12-10'],
    ['a “quoted” word', 'a "quoted" word'],
    ['$& and $1', '%s and {0}'],
    ['  spaces  kept  ', 'line\nbreak'],
  ])('keeps numbers, units, sides and negations: %j becomes %j', (before, after) => {
    const said = retraction({ value: before }, { value: after });
    expect(said).toContain(`“${before}” It now says: “${after}”`);
  });

  it('says so when the new words are past their own review date', () => {
    const said = retraction({ value: 'old' }, { value: 'new', staleAfter: later(START, 2 * MINUTE) });
    expect(said).toMatch(/“new” Changed 4 minutes ago by your care team\. That is past its review date\.$/);
  });

  it('of a fact with nothing in its place repeats the old words and says whom to ask', () => {
    fc.assert(
      fc.property(texts, (before) => {
        const said = retraction({ value: before }, { value: null, authorLabel: 'the ward' });
        expect(said).toBe(
          `Stop. I take back what I said: “${before}” Nothing replaces it yet. Ask the ward.`,
        );
      }),
    );
  });

  it('has no old words where the older version had none', () => {
    const first = versionAfter({ fact: null, lane: null }, fact, { value: 'gone' });
    const lane = { ordinal: 1, writtenAt: START };
    const withdrawn = versionAfter({ fact: first, lane }, fact, { value: null });
    const again = versionAfter(
      { fact: withdrawn, lane: { ordinal: 2, writtenAt: withdrawn.writtenAt } },
      fact,
      { value: 'back again' },
    );
    expect(renderRetraction(withdrawn, again, clock, [])).toBe(
      'Stop. I take back what I said about walking. It now says: “back again” Changed 4 minutes ago by your care team.',
    );
    expect(renderRetraction(first, withdrawn, clock, [])).not.toContain('null');
  });
});

describe('the gloss of a retraction', () => {
  const GLOSSARY = [
    { term: 'partial weight-bearing', meaning: 'that only part of your weight goes through the leg' },
    { term: 'weight-bearing', meaning: 'letting the leg carry weight' },
    { term: 'mg', meaning: 'milligram' },
    { term: 'Öl', meaning: 'oil' },
    { term: 'C++', meaning: 'a language' },
  ];
  const glossed = (value: string): string[] =>
    GLOSSARY.filter(({ term, meaning }) =>
      retraction({ value: 'old' }, { value }, GLOSSARY).includes(` “${term}” means ${meaning}.`),
    ).map(({ term }) => term);

  it('comes last, in the order of the glossary', () => {
    expect(retraction({ value: 'old' }, { value: 'Take 5 mg of öl.' }, GLOSSARY)).toBe(
      'Stop. I take back what I said: “old” It now says: “Take 5 mg of öl.” ' +
        'Changed 4 minutes ago by your care team. “mg” means milligram. “Öl” means oil.',
    );
  });

  it.each([
    ['Partial weight-bearing: 20 kg', ['partial weight-bearing', 'weight-bearing']],
    ['PARTIAL WEIGHT-BEARING', ['partial weight-bearing', 'weight-bearing']],
    ['weight-bearing', ['weight-bearing']],
    ['non-weight-bearing', []],
    ['weight-bearing-free', []],
    ['non\u2011weight-bearing', []],
    ['5 mg', ['mg']],
    ['5mg', []],
    ['(mg)', ['mg']],
    ['“mg”', ['mg']],
    ['mgs', []],
    ['img', []],
    ['mg\u0301', []],
    ['mg\u{1d7d9}', []],
    ['\u{10330}mg', []],
    ['\u{1f600}mg\u{1f600}', ['mg']],
    ['img, then mg', ['mg']],
    ['mgmg', []],
    ['öl', ['Öl']],
    ['köl', []],
    ['C++.', ['C++']],
    ['', []],
  ])('explains the words of a value, and only whole ones: %j', (value, terms) => {
    expect(glossed(value)).toEqual(terms);
  });

  it('explains the new words and not the old ones', () => {
    expect(retraction({ value: '5 mg' }, { value: '5 g' }, GLOSSARY)).not.toContain('milligram');
  });

  it('adds nothing that the glossary does not say', () => {
    const glossaries = fc.array(fc.record({ term: fc.string({ maxLength: 6 }), meaning: fc.string() }));
    fc.assert(
      fc.property(texts, glossaries, (value, glossary) => {
        const bare = retraction({ value: 'old' }, { value });
        let rest = retraction({ value: 'old' }, { value }, glossary);
        expect(rest.startsWith(bare)).toBe(true);
        rest = rest.slice(bare.length);
        for (const { term, meaning } of glossary) {
          const entry = ` “${term}” means ${meaning}.`;
          if (rest.startsWith(entry)) rest = rest.slice(entry.length);
        }
        expect(rest).toBe('');
      }),
    );
  });

  it('of a term without letters is never given, and a search for it ends', () => {
    const said = retraction({ value: 'old' }, { value: 'new' }, [{ term: '', meaning: 'nothing' }]);
    expect(said).not.toContain('means');
  });

  it('is not given for a withdrawal', () => {
    expect(retraction({ value: '5 mg' }, { value: null }, GLOSSARY)).not.toContain('means');
  });
});

describe('what is spoken for a version', () => {
  const [previous] = pair(
    { value: 'Walk.', staleAfter: later(START, 6 * MINUTE), authorLabel: 'the ward' },
    {},
  );

  it('is its words and nothing else while it is fresh', () => {
    fc.assert(
      fc.property(texts, (value) => {
        expect(renderSpoken(pair({ value }, {})[0], clock)).toBe(value);
      }),
    );
    expect(renderSpoken(previous, clock)).toBe('Walk.');
  });

  it('begins with its age once it is past its review date', () => {
    const laterClock = createVirtualClock(epochMs(START) + 6 * MINUTE);
    expect(renderSpoken(previous, laterClock)).toBe(
      'Last changed 6 minutes ago by the ward, and past its review date. Walk.',
    );
  });

  it('of a withdrawn fact says that nothing replaces it', () => {
    const [, withdrawn] = pair({}, { value: null, authorLabel: 'the ward' });
    expect(renderSpoken(withdrawn, clock)).toBe(
      'What was said about walking was withdrawn. Nothing replaces it yet. Ask the ward.',
    );
  });
});
