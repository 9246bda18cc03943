import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeFields, encodeFields, type Field } from './fields.ts';

const field: fc.Arbitrary<Field> = fc.oneof(
  fc.constant(null),
  fc.string({ unit: 'binary' }),
  fc.uint8Array({ maxLength: 20 }),
);
const fields = fc.array(field, { maxLength: 6 });

function bytesOf(each: Field): Uint8Array | null {
  return typeof each === 'string' ? new Uint8Array(Buffer.from(each)) : each && new Uint8Array(each);
}

it('gives back the fields that were joined, what is absent apart from what is empty', () => {
  fc.assert(
    fc.property(fields, (sequence) => {
      expect(decodeFields(encodeFields(sequence), sequence.length)).toEqual(sequence.map(bytesOf));
    }),
  );
  expect(decodeFields(encodeFields(['', null]), 2)).toEqual([new Uint8Array(), null]);
});

it('gives no two sequences the same bytes', () => {
  const shifted: fc.Arbitrary<[Field[], Field[]]> = fc.tuple(fields, fields);
  fc.assert(
    fc.property(shifted, ([one, other]) => {
      const same = JSON.stringify(one.map(asText)) === JSON.stringify(other.map(asText));
      expect(Buffer.compare(encodeFields(one), encodeFields(other)) === 0).toBe(same);
    }),
  );
  expect(encodeFields(['a', 'bc'])).not.toEqual(encodeFields(['ab', 'c']));
  expect(encodeFields(['a'])).not.toEqual(encodeFields(['a', null]));
});

it('takes nothing for fields that is not exactly them', () => {
  fc.assert(
    fc.property(fields, fc.nat(8), (sequence, count) => {
      fc.pre(count !== sequence.length);
      expect(decodeFields(encodeFields(sequence), count)).toBeNull();
    }),
  );
  const whole = encodeFields(['walking', null, 'stairs']);
  for (let length = 0; length < whole.length; length += 1) {
    expect(decodeFields(whole.subarray(0, length), 3)).toBeNull();
  }
  expect(decodeFields(Buffer.concat([whole, Buffer.of(0)]), 3)).toBeNull();
  expect(decodeFields(Uint8Array.of(2), 1)).toBeNull();
  expect(decodeFields(Uint8Array.of(1, 0xff, 0xff, 0xff, 0xff), 1)).toBeNull();
});

it('refuses a text that has no bytes', () => {
  expect(() => encodeFields(['half a pair: \ud83d'])).toThrow('lone surrogate');
});

function asText(each: Field): string | null {
  const bytes = bytesOf(each);
  return bytes && Buffer.from(bytes).toString('hex');
}
