import { expect, it } from 'vitest';
import type { AuditWord } from './audit.ts';
import { type Instant, instant, parseInstant } from './clock.ts';
import { type FactUri, parseFactUri, parseSubject, type Subject, type Topic } from './fact-uri.ts';
import { BEGINNING, type Position } from './journal.ts';
import { type Audience, definePartition } from './partition.ts';
import { parseVersionHash, type VersionHash } from './version.ts';

// What the type checker refuses here is the test: without the error that each line expects, it fails.

it('a plain text is not what a parser makes of it', () => {
  const text = String('fact://ray/walking');
  // @ts-expect-error: parseFactUri makes one.
  const uri: FactUri = text;
  expect(parseFactUri(text)?.uri).toBe(uri);
  // @ts-expect-error: parseSubject makes one.
  const subject: Subject = 'ray';
  expect(parseSubject('ray')).toBe(subject);
  // @ts-expect-error: parseFactUri makes one.
  const topic: Topic = 'walking';
  expect(parseFactUri(text)?.topic).toBe(topic);
  // @ts-expect-error: instant and parseInstant make one.
  const at: Instant = '2026-01-05T09:00:00.000Z';
  expect(parseInstant('2026-01-05T09:00Z')).toBe(at);
  // @ts-expect-error: parseVersionHash makes one, and publication makes the others.
  const hash: VersionHash = 'ab'.repeat(32);
  expect(parseVersionHash('ab'.repeat(32))).toBe(hash);
  // @ts-expect-error: definePartition makes one.
  const audience: Audience = 'guest';
  const rule = { audience: 'guest', scheme: 'fact', readScope: 'read', speakable: true };
  expect(definePartition({ audiences: [rule], writeScope: 'write' }).rules[0]?.audience).toBe(audience);
});

it('a plain number is no position, and a position no time', () => {
  // @ts-expect-error: the journal makes one.
  const position: Position = 0;
  expect(BEGINNING).toBe(position);
  // @ts-expect-error: an instant is a text.
  const at: Instant = 0;
  expect(instant(0)).not.toBe(at);
});

it('one branded text does not stand for another', () => {
  const target = parseFactUri('fact://ray/walking');
  // @ts-expect-error: whom a fact is about is not what it is about.
  const topic: Topic | undefined = target?.subject;
  // @ts-expect-error: an audience is named by the partition alone.
  const audience: Audience | undefined = target?.subject;
  // @ts-expect-error: the URI of a version is no bare URI.
  const uri: FactUri = `${target?.uri}/v1`;
  expect([topic, audience, uri]).toEqual(['ray', 'ray', 'fact://ray/walking/v1']);
});

it('a word of the audit log is one that the program spells out', () => {
  const known: AuditWord = 'bad_signature';
  const sent = String('bad_signature');
  // @ts-expect-error: it came from somewhere.
  const open: AuditWord = sent;
  // @ts-expect-error: it came from somewhere, and lower case does not change that.
  const lower: AuditWord = sent.toLowerCase();
  // @ts-expect-error: words are in lower case.
  const upper: AuditWord = 'Bad_signature';
  expect([open, lower, upper.toLowerCase()]).toEqual([known, known, known]);
});
