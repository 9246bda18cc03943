import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listener, sentenceOf } from '../../testing/ledger-contract.ts';
import { later, START, sampleFact } from '../../testing/sample-facts.ts';
import { afterReport, type Receipt, type ReceiptState, type Sentence, served, stands } from './sentence.ts';

const fresh = sentenceOf(listener('phone'), sampleFact('user', 'ray', 'walk'));
const NOW = later(START, 1000);
const STATES = ['heard', 'cut', 'not_heard', 'failed'] as const;

const report = (before: Sentence, state: ReceiptState, wordsHeard: number | null = null): Sentence =>
  afterReport([before], () => true, { state, wordsHeard }, NOW)[0] ?? before;

describe('giving a sentence', () => {
  it('is written the first time, noted the second, and writes nothing from then on', () => {
    const first = served(undefined, fresh);
    expect(first).toEqual(fresh);
    const second = served(fresh, { ...fresh, servedAt: NOW });
    expect(second).toEqual({ ...fresh, isRepeated: true });
    expect(served(second ?? fresh, fresh)).toBeNull();
  });

  it.each(['heard', 'cut'] as const)('writes nothing once it was reported: %s', (state) => {
    expect(served(report(fresh, state), fresh)).toBeNull();
  });

  it.each(['not_heard', 'failed'] as const)('starts anew after it was reported: %s', (state) => {
    const again = { ...fresh, servedAt: NOW };
    expect(served(report(fresh, state), again)).toEqual({ ...again, isRepeated: true });
  });

  it('starts anew after it was taken back', () => {
    expect(served({ ...fresh, state: 'heard', takenBackAt: NOW }, fresh)).toEqual({
      ...fresh,
      isRepeated: true,
    });
  });
});

describe('a report', () => {
  it('never weakens what is known', () => {
    const receipt = fc.record({
      state: fc.constantFrom(...STATES),
      wordsHeard: fc.option(fc.nat({ max: 20 })),
    });
    fc.assert(
      fc.property(fc.array(receipt, { minLength: 1, maxLength: 8 }), (receipts) => {
        const heardSome = ({ state }: Receipt): boolean => state === 'heard' || state === 'cut';
        const after = receipts.reduce((before, each) => report(before, each.state, each.wordsHeard), fresh);
        expect(stands(after)).toBe(receipts.some(heardSome));
      }),
    );
  });

  it('tells how far a cut got at the most', () => {
    const cut = report(fresh, 'cut', 5);
    expect(report(cut, 'cut', 3)).toBe(cut);
    expect(report(cut, 'cut', 7)).toMatchObject({ wordsHeard: 7 });
    expect(report(cut, 'heard')).toMatchObject({ state: 'heard', wordsHeard: null });
  });

  it.each(['cut', 'not_heard', 'failed'] as const)('of a retraction takes nothing back: %s', (state) => {
    const retraction = { ...fresh, version: 2, takesBack: 1 };
    const isMeant = (each: Sentence): boolean => each.version === 2;
    const changed = afterReport([fresh, retraction], isMeant, { state, wordsHeard: null }, NOW);
    expect(changed).toMatchObject([{ version: 2 }]);
    expect(changed).toHaveLength(1);
  });

  it('of a retraction heard takes back that version of that fact, however it was given, and no other', () => {
    const retraction = { ...fresh, version: 3, takesBack: 1 };
    const sentences: Sentence[] = [
      fresh,
      { ...fresh, takesBack: 2 },
      { ...fresh, version: 2 },
      { ...fresh, topic: sampleFact('user', 'ray', 'bath').topic },
      retraction,
    ];
    const isMeant = (each: Sentence): boolean => each === retraction;
    expect(afterReport(sentences, isMeant, { state: 'heard', wordsHeard: null }, NOW)).toEqual([
      { ...retraction, state: 'heard', reportedAt: NOW },
      { ...fresh, takenBackAt: NOW },
      { ...fresh, takesBack: 2, takenBackAt: NOW },
    ]);
  });
});
