import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changedSpan } from './changed-span.ts';

test('only the words that differ are marked', () => {
  expect(changedSpan('Put half weight on the left leg.', 'Put no weight on the left leg.')).toEqual({
    old: { before: 'Put ', changed: 'half', after: ' weight on the left leg.' },
    new: { before: 'Put ', changed: 'no', after: ' weight on the left leg.' },
  });
});

test('a word that was added stands alone', () => {
  const { old, new: fresh } = changedSpan('You may walk.', 'You may not walk.');
  expect(old.changed).toBe('');
  expect(fresh.changed.trim()).toBe('not');
});

test('the same text has nothing changed', () => {
  expect(changedSpan('Same words.', 'Same words.').new).toEqual({
    before: 'Same words.',
    changed: '',
    after: '',
  });
});

test('the parts of a text are that text, whatever the other one is', () => {
  const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n', '  ')).map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(text, text, (old, fresh) => {
      const result = changedSpan(old, fresh);
      expect(Object.values(result.old).join('')).toBe(old);
      expect(Object.values(result.new).join('')).toBe(fresh);
      expect(result.old.before).toBe(result.new.before);
      expect(result.old.after).toBe(result.new.after);
    }),
  );
});
