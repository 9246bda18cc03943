import fc from 'fast-check';
import { expect, it } from 'vitest';
import { canonicalJson, type Json } from './canonical-json.ts';

it('orders members by code unit and writes nothing that need not be written', () => {
  // The order that RFC 8785, section 3.2.3, gives for these names.
  const names = ['\u20ac', '\r', '\ufb33', '1', '\u{1f600}', '\u0080', '\u00f6'];
  const ordered = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\u{1f600}', '\ufb33'];
  const value = Object.fromEntries(names.map((name) => [name, null]));
  const members = ordered.map((name) => `${JSON.stringify(name)}:null`).join(',');
  expect(canonicalJson(value)).toBe(`{${members}}`);
});

it('writes the numbers and strings of RFC 8785, section 3.2.2', () => {
  const numbers = [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0];
  const text = '\u20ac$\u000f\nA\'B"\\\\"/';
  expect(canonicalJson({ numbers, string: text, literals: [null, true, false] })).toBe(
    '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],' +
      '"string":"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
  );
});

it('gives back what it was given, and the same form again', () => {
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 }), (value) => {
      const text = canonicalJson(value as Json);
      expect(canonicalJson(JSON.parse(text))).toBe(text);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

it.each<[string, Json]>([
  ['a lone surrogate', '\ud800'],
  ['a lone surrogate in a name', { '\udc00': 1 }],
  ['no number', Number.NaN],
  ['a number without end', Number.POSITIVE_INFINITY],
  ['something that nests without end', JSON.parse('['.repeat(1000) + ']'.repeat(1000))],
])('refuses %s', (_what, value) => {
  expect(() => canonicalJson(value)).toThrow();
});
