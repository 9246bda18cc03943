import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { epochMs, instant, parseInstant } from './clock.ts';

const moments = fc.integer({
  min: Date.parse('0000-01-01T00:00:00.000Z'),
  max: Date.parse('9999-12-31T23:59:59.999Z'),
});

describe('an instant', () => {
  it('is read back as the moment it was made from', () => {
    fc.assert(
      fc.property(moments, (ms) => {
        expect(epochMs(instant(ms))).toBe(ms);
        expect(parseInstant(instant(ms))).toBe(instant(ms));
      }),
    );
  });

  it('sorts as text in the order of time', () => {
    fc.assert(
      fc.property(moments, moments, (a, b) => {
        expect(instant(a) < instant(b)).toBe(a < b);
      }),
    );
  });

  it('is the same moment in whatever zone it was written', () => {
    const offsets = fc.integer({ min: -23 * 60 - 59, max: 23 * 60 + 59 });
    const middle = fc.integer({ min: Date.UTC(1000, 0), max: Date.UTC(9000, 0) });
    fc.assert(
      fc.property(middle, offsets, (ms, minutes) => {
        const local = instant(ms + minutes * 60_000).slice(0, -1);
        const size = Math.abs(minutes);
        const two = (part: number): string => String(Math.floor(part)).padStart(2, '0');
        const zone = `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`;
        expect(parseInstant(local + zone)).toBe(instant(ms));
      }),
    );
  });

  it.each([
    ['2026-12-01T09:14Z', '2026-12-01T09:14:00.000Z'],
    ['2026-12-01T09:14:05Z', '2026-12-01T09:14:05.000Z'],
    ['2026-12-01T09:14:05.6Z', '2026-12-01T09:14:05.600Z'],
    ['2026-12-01T09:14:05.123456789Z', '2026-12-01T09:14:05.123Z'],
    ['2026-12-01T09:14:05.999999999Z', '2026-12-01T09:14:05.999Z'],
    ['2026-12-01T00:30:00+01:00', '2026-11-30T23:30:00.000Z'],
    ['2026-12-31T23:30:00-01:00', '2027-01-01T00:30:00.000Z'],
    ['2024-02-29T12:00:00Z', '2024-02-29T12:00:00.000Z'],
    ['2026-12-01T09:14:00-00:00', '2026-12-01T09:14:00.000Z'],
  ])('reads %s as %s', (text, canonical) => {
    expect(parseInstant(text)).toBe(canonical);
  });
});

describe('not an instant:', () => {
  it.each([
    ['no zone', '2026-12-01T09:14:00'],
    ['a date alone', '2026-12-01'],
    ['a zone by name', '2026-12-01T09:14:00 CET'],
    ['a zone without a colon', '2026-12-01T09:14:00+0100'],
    ['a zone of more than a day', '2026-12-01T09:14:00+24:00'],
    ['a zone with a 60th minute', '2026-12-01T09:14:00+01:60'],
    ['a space for the T', '2026-12-01 09:14:00Z'],
    ['lower case', '2026-12-01t09:14:00z'],
    ['the 30th of February', '2026-02-30T09:14:00Z'],
    ['the 29th of February of a common year', '2026-02-29T09:14:00Z'],
    ['the 31st of April', '2026-04-31T09:14:00Z'],
    ['a thirteenth month', '2026-13-01T09:14:00Z'],
    ['month 0', '2026-00-01T09:14:00Z'],
    ['day 0', '2026-12-00T09:14:00Z'],
    ['an impossible date that another zone would mend', '2026-02-29T00:30:00+01:00'],
    ['hour 24', '2026-12-01T24:00:00Z'],
    ['a leap second', '2026-12-31T23:59:60Z'],
    ['minute 60', '2026-12-01T09:60:00Z'],
    ['a time before year 0', '0000-01-01T00:30:00+01:00'],
    ['a time after year 9999', '9999-12-31T23:30:00-01:00'],
    ['a year of six digits', '+012026-12-01T09:14:00Z'],
    ['a fraction without digits', '2026-12-01T09:14:00.Z'],
    ['a fraction of ten digits', '2026-12-01T09:14:00.1234567891Z'],
    ['a trailing newline', '2026-12-01T09:14:00Z\n'],
    ['leading space', ' 2026-12-01T09:14:00Z'],
    ['epoch milliseconds', '1764580440000'],
    ['digits of another script', '٢٠٢٦-12-01T09:14:00Z'],
    ['words', 'yesterday'],
    ['nothing', ''],
  ])('%s', (_what, text) => {
    expect(parseInstant(text)).toBeNull();
  });

  it('every day that its month does not have', () => {
    const two = (part: number): string => String(part).padStart(2, '0');
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9998 }),
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 0, max: 31 }),
        (year, month, day) => {
          // Day 0 of the next month is the last of this one; 400 years later no day is another.
          const last = new Date(Date.UTC(year + 400, month, 0)).getUTCDate();
          const text = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}T12:00:00Z`;
          expect(parseInstant(text) !== null).toBe(day >= 1 && day <= last);
        },
      ),
    );
  });

  it('any other text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(parseInstant(text)).toBeNull();
      }),
    );
  });
});
