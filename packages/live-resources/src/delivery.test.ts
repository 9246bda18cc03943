import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { principalOf } from '../testing/live-scene.ts';
import { PARTITION, START, sampleFact } from '../testing/sample-facts.ts';
import { announcementOf, mayHear } from './delivery.ts';
import type { JournalEntry, Position } from './journal.ts';
import { factUri } from './partition.ts';
import { mayRead } from './principal.ts';

function entryOf(parts: Partial<JournalEntry> = {}, audience: 'user' | 'assistant' = 'user'): JournalEntry {
  const fact = sampleFact(audience, 'ray', 'walking');
  return {
    position: 1 as Position,
    uri: factUri(fact.rule, fact),
    subject: fact.subject,
    audience: fact.rule.audience,
    version: 1,
    kind: 'create',
    writtenAt: START,
    quiet: false,
    ...parts,
  };
}

describe('a journal entry announces', () => {
  it('a creation for a first version, without its URI', () => {
    expect(announcementOf(entryOf())).toEqual({ kind: 'creation' });
  });

  it('a correction for every later version, by its URI and nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2 }), fc.constantFrom('revise', 'withdraw'), (version, kind) => {
        const announcement = announcementOf(entryOf({ version, kind }));
        expect(announcement).toEqual({ kind: 'correction', uri: 'fact://ray/walking' });
      }),
    );
  });

  it('nothing when it is quiet', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1 }),
        fc.constantFrom('create', 'revise', 'withdraw'),
        (version, kind) => {
          expect(announcementOf(entryOf({ version, kind, quiet: true }))).toBeNull();
        },
      ),
    );
  });
});

describe('hearing of an entry', () => {
  const principals = fc
    .tuple(
      fc.subarray(['read.user', 'read.assistant', 'write']),
      fc.constantFrom('*' as const, ['ray'], ['eve'], ['ray', 'eve'], []),
    )
    .map(([scopes, subjects]) => principalOf(scopes, subjects));

  it('takes the right to read it', () => {
    fc.assert(
      fc.property(principals, fc.constantFrom('user', 'assistant'), (principal, audience) => {
        const entry = entryOf({}, audience);
        expect(mayHear(PARTITION, principal, entry)).toBe(mayRead(PARTITION, principal, entry));
      }),
    );
  });

  it('is decided by the lane, never by what the URI says', () => {
    const entry = entryOf({ uri: entryOf({}, 'user').uri }, 'assistant');
    expect(entry.uri).toBe('fact://ray/walking');
    expect(mayHear(PARTITION, principalOf(['read.user']), entry)).toBe(false);
    expect(mayHear(PARTITION, principalOf(['read.assistant']), entry)).toBe(true);
  });

  it('ends when a scope or a subject is gone', () => {
    expect(mayHear(PARTITION, principalOf(['read.user']), entryOf())).toBe(true);
    expect(mayHear(PARTITION, principalOf([]), entryOf())).toBe(false);
    expect(mayHear(PARTITION, principalOf(['read.user'], ['eve']), entryOf())).toBe(false);
  });
});
