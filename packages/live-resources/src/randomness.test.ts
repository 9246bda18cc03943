import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seededRandomness } from './randomness.ts';

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

describe('seeded randomness', () => {
  it('gives known bytes, so that what was made from it can be made again', () => {
    expect(hex(seededRandomness('seed').bytes('salt/value', 'care://ray/walking/v1', 32))).toBe(
      '57e1b9d7b46ce863eba1edc03f22a249ab2ea5c2014af774d62bc4a4217f6eca',
    );
  });

  it('depends on seed, purpose and record, and on nothing else', () => {
    const parts = fc.array(fc.string({ maxLength: 20 }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(parts, parts, ([seed = '', purpose = '', record = ''], other) => {
        const source = seededRandomness(seed);
        const first = hex(source.bytes(purpose, record, 32));
        source.bytes('another call', 'in between', 8);
        expect(hex(source.bytes(purpose, record, 32))).toBe(first);
        const [otherSeed = '', otherPurpose = '', otherRecord = ''] = other;
        fc.pre(otherSeed !== seed || otherPurpose !== purpose || otherRecord !== record);
        expect(hex(seededRandomness(otherSeed).bytes(otherPurpose, otherRecord, 32))).not.toBe(first);
      }),
    );
  });

  it('keeps purposes and records apart that are alike when they are put together', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 20 }), fc.nat(), fc.nat(), (text, a, b) => {
        const cut = (at: number): [string, string] => [text.slice(0, at), text.slice(at)];
        const [one, two] = [a % (text.length + 1), b % (text.length + 1)];
        fc.pre(one !== two);
        const source = seededRandomness('seed');
        expect(hex(source.bytes(...cut(one), 16))).not.toBe(hex(source.bytes(...cut(two), 16)));
      }),
    );
  });

  it('gives as many bytes as were asked for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1024 }), (length) => {
        expect(seededRandomness('seed').bytes('purpose', 'record', length)).toHaveLength(length);
      }),
    );
  });
});
