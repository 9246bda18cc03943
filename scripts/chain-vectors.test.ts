import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalJson, chainVectors } from './chain-vectors.ts';

const FILE = join(import.meta.dirname, '../docs/spec/vectors/chain.json');

describe('the vectors of docs/spec/chain.md', () => {
  it('are what its prose makes of their inputs, to the byte', () => {
    expect(readFileSync(FILE, 'utf8')).toBe(chainVectors());
  });

  it('were not moved together with what makes them: the first and the last as they were released', () => {
    const { vectors } = JSON.parse(chainVectors()) as { vectors: { version: { versionHash: string } }[] };
    expect(vectors).toHaveLength(12);
    expect(vectors.at(0)?.version.versionHash).toBe(
      'cc3cd56517a17497e6eebcf07f197c78a89883216d359d89170abab4a352a75d',
    );
    expect(vectors.at(-1)?.version.versionHash).toBe(
      'a062653449799b3c2ae7f578314f06dbeebe5be8f2ebfacf7fe35c9e4b6bdfe1',
    );
  });
});

describe('canonical JSON', () => {
  // The string of RFC 8785, section 3.2.2, and the order of names of section 3.2.3.
  it('escapes as RFC 8785 does', () => {
    expect(canonicalJson('\u20ac$\u000F\u000aA\u0027\u0042\u0022\u005c\\"/')).toBe(
      String.raw`"€$\u000f\nA'B\"\\\\\"/"`,
    );
  });

  it('orders names by their UTF-16 code units', () => {
    const names = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const canonical = canonicalJson(Object.fromEntries(names.map((name, at) => [name, at])));
    expect(canonical).toBe('{"\\r":1,"1":3,"\u0080":5,"\u00f6":6,"\u20ac":0,"\ud83d\ude00":4,"\ufb33":2}');
  });

  it('refuses what has no form', () => {
    expect(() => canonicalJson('\ud800')).toThrow('lone surrogate');
    expect(() => canonicalJson(0.5)).toThrow('whole number');
    expect(canonicalJson({ b: null, a: { d: -1, c: '' } })).toBe('{"a":{"c":"","d":-1},"b":null}');
  });
});
