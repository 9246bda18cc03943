import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attempt, START } from '../testing/sample-facts.ts';
import { type AuditEntry, type AuditRow, type AuditWord, linkAudit, replayAudit } from './audit.ts';
import { instant } from './clock.ts';
import { parseFactUri } from './fact-uri.ts';

const words = fc.stringMatching(/^[a-z][a-z_]{0,31}$/) as fc.Arbitrary<AuditWord>;
const entries: fc.Arbitrary<AuditEntry> = fc.record({
  at: fc.integer({ min: 0, max: Date.UTC(2100, 0) }).map(instant),
  actor: fc.option(fc.string({ unit: 'binary' })),
  uri: fc.option(fc.constantFrom('fact://ray/walking', 'fact-internal://ray/risk')),
  outcome: fc.constantFrom('accepted', 'refused'),
  reason: fc.option(words),
  via: words,
  count: fc.integer({ min: 1, max: 10_000 }),
});
const logs = fc.array(entries, { minLength: 1, maxLength: 12 }).map(link);

function link(log: readonly AuditEntry[]): AuditRow[] {
  const rows: AuditRow[] = [];
  for (const entry of log) rows.push(linkAudit(entry, rows.at(-1)?.hash ?? null));
  return rows;
}

describe('an audit row', () => {
  it('has a known hash', () => {
    const row = linkAudit(attempt(START, { actor: 'writer-1', uri: 'fact://ray/walking' }), null);
    expect(row).toEqual({
      at: '2026-01-05T09:00:00.000Z',
      actor: 'writer-1',
      uri: 'fact://ray/walking',
      outcome: 'refused',
      reason: 'bad_signature',
      via: 'hmac',
      count: 1,
      prevHash: null,
      hash: '99c7e2be17175402832dafedf3fee3c060f69bec912355ff04624de2afd5ecce',
    });
  });

  it('keeps nothing but its own fields', () => {
    const more = { ...attempt(START), authorization: 'Bearer secret' };
    expect(JSON.stringify(linkAudit(more, null))).not.toContain('secret');
    expect(linkAudit(more, null)).toEqual(linkAudit(attempt(START), null));
  });

  it.each([
    '',
    'two words',
    'Upper',
    '9lives',
    '_word',
    '<script>',
    'a\nb',
    'word\n',
    'a'.repeat(33),
    'é',
    '\ud800',
    'c0ffee'.repeat(5),
    'bearer_1',
    'eyj.payload.mac',
  ])('takes no reason and no way like %j', (text) => {
    // As if the types were not there: what a row keeps is decided when it is linked.
    const word = text as AuditWord;
    expect(() => linkAudit(attempt(START, { reason: word }), null)).toThrow('closed lists');
    expect(() => linkAudit(attempt(START, { via: word }), null)).toThrow('closed lists');
  });

  it.each([
    '',
    'fact://ray/walking/v1',
    'fact://ray/walking?token=secret',
    'FACT://ray/walking',
    'fact://ray/walking\n',
    'Bearer secret',
    `fact://ray/${'a'.repeat(65)}`,
  ])('names no fact by %j', (uri) => {
    expect(() => linkAudit(attempt(START, { uri }), null)).toThrow('bare URI');
  });

  it('carries nothing of a stranger, whatever stands where a word or a URI should', () => {
    const texts = fc.string({ unit: 'binary' });
    const hostile = fc.oneof(
      texts,
      fc.tuple(words, texts).map(([word, text]) => word + text),
      fc.tuple(texts, fc.constant('fact://ray/walking')).map(([text, uri]) => uri + text),
    );
    fc.assert(
      fc.property(hostile, fc.constantFrom('reason', 'via', 'uri'), (text, field) => {
        fc.pre(field === 'uri' ? parseFactUri(text)?.uri !== text : !/^[a-z][a-z_]{0,31}$/.test(text));
        const entry = { ...attempt(START), [field]: text };
        expect(() => linkAudit(entry, null)).toThrow('an audit row');
      }),
      { numRuns: 500 },
    );
  });
});

describe('replaying the audit log', () => {
  it('finds a log intact as it was written', () => {
    fc.assert(
      fc.property(logs, (rows) => {
        expect(replayAudit(rows)).toBeNull();
      }),
    );
    expect(replayAudit([])).toBeNull();
  });

  const changes: { [Field in keyof AuditRow]: (was: AuditRow[Field]) => unknown } = {
    at: (at) => instant(Date.parse(at) + 1),
    actor: (actor) => (actor === null ? 'writer-9' : null),
    uri: (uri) => (uri === null ? 'fact://ray/walking' : `${uri}s`),
    outcome: (outcome) => (outcome === 'accepted' ? 'refused' : 'accepted'),
    reason: (reason) => (reason === 'replayed' ? null : 'replayed'),
    via: (via) => (via === 'token' ? 'hmac' : 'token'),
    count: (count) => count + 1,
    prevHash: (prevHash) => (prevHash === null ? '0'.repeat(64) : null),
    hash: (hash) => hash.replace(/./, (first) => (first === '0' ? '1' : '0')),
  };

  it.each(Object.entries(changes))('finds the first row whose %s was changed', (field, change) => {
    fc.assert(
      fc.property(logs, fc.nat(), (rows, choice) => {
        const at = choice % rows.length;
        const changed = rows.map((row, index) =>
          index === at ? { ...row, [field]: change(row[field as never] as never) } : row,
        );
        expect(replayAudit(changed)).toBe(at);
      }),
    );
  });

  it('finds a row that never could have been written, and does not fail over it', () => {
    const [row, next] = link([attempt(START), attempt(START)]);
    const rows = [row, next].filter((each) => each !== undefined);
    for (const damage of [
      { reason: 'free text' },
      { via: '' },
      { uri: 'no URI' },
      { count: Number.NaN },
      { actor: '\ud800' },
    ]) {
      const damaged = rows.map((each, index) => (index === 1 ? { ...each, ...damage } : each));
      expect(replayAudit(damaged as AuditRow[])).toBe(1);
    }
  });

  it('finds a row that was taken out, put in, doubled or moved', () => {
    fc.assert(
      fc.property(fc.array(entries, { minLength: 3, maxLength: 9 }).map(link), fc.nat(), (rows, choice) => {
        const at = choice % (rows.length - 1);
        const row = rows[at] as AuditRow;
        const next = rows[at + 1] as AuditRow;
        expect(replayAudit(rows.toSpliced(at, 1))).toBe(at);
        expect(replayAudit(rows.toSpliced(at, 0, linkAudit(attempt(START), row.prevHash)))).toBe(at + 1);
        expect(replayAudit(rows.toSpliced(at, 0, row))).toBe(at + 1);
        expect(replayAudit(rows.toSpliced(at, 2, next, row))).toBe(at);
      }),
    );
  });
});
