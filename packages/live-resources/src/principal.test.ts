import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { principalOf } from '../testing/live-scene.ts';
import { PARTITION } from '../testing/sample-facts.ts';
import type { Subject } from './fact-uri.ts';
import type { Audience, Lane } from './partition.ts';
import { holdsSubject, mayRead, narrow, readableAudiences, readsAnything, writeRight } from './principal.ts';

const SCOPES = ['read.user', 'read.assistant', 'write', 'read', 'read.user ', 'READ.USER', '*'] as const;
const SUBJECTS = ['ray', 'eve', '*', 'Ray', ''] as const;

const scopes = fc.uniqueArray(fc.constantFrom(...SCOPES));
const principals = fc
  .tuple(scopes, fc.oneof(fc.constant('*' as const), fc.uniqueArray(fc.constantFrom(...SUBJECTS))))
  .map(([held, granted]) => principalOf(held, granted));
const lanes = fc.record({
  subject: fc.constantFrom(...SUBJECTS),
  audience: fc.constantFrom('user', 'assistant', 'everyone', '*'),
}) as fc.Arbitrary<Lane>;

function lane(subject: string, audience: string): Lane {
  return { subject: subject as Subject, audience: audience as Audience };
}

describe('reading', () => {
  it.each([
    { scopes: [], subjects: ['ray'], user: false, assistant: false },
    { scopes: ['read.user'], subjects: ['ray'], user: true, assistant: false },
    { scopes: ['read.assistant'], subjects: ['ray'], user: false, assistant: true },
    { scopes: ['read.user', 'read.assistant'], subjects: ['ray'], user: true, assistant: true },
    { scopes: ['write'], subjects: ['ray'], user: false, assistant: false },
    { scopes: ['*', 'read', 'READ.USER'], subjects: ['ray'], user: false, assistant: false },
    { scopes: ['read.user', 'read.assistant'], subjects: [], user: false, assistant: false },
    { scopes: ['read.user', 'read.assistant'], subjects: ['eve'], user: false, assistant: false },
    { scopes: ['read.user', 'read.assistant'], subjects: ['eve', 'ray'], user: true, assistant: true },
    { scopes: ['read.user', 'read.assistant'], subjects: ['*'], user: false, assistant: false },
    { scopes: ['read.user'], subjects: '*' as const, user: true, assistant: false },
    { scopes: ['read.assistant'], subjects: '*' as const, user: false, assistant: true },
    { scopes: [], subjects: '*' as const, user: false, assistant: false },
  ])('$scopes for $subjects: user $user, assistant $assistant', ({ scopes, subjects, user, assistant }) => {
    const principal = principalOf(scopes, subjects);
    expect(mayRead(PARTITION, principal, lane('ray', 'user'))).toBe(user);
    expect(mayRead(PARTITION, principal, lane('ray', 'assistant'))).toBe(assistant);
    expect(mayRead(PARTITION, principal, lane('ray', 'everyone'))).toBe(false);
  });

  it('is allowed exactly where the subject is held and the audience can be read', () => {
    fc.assert(
      fc.property(principals, lanes, (principal, at) => {
        const audiences = readableAudiences(PARTITION, principal).map((rule) => rule.audience);
        const expected = holdsSubject(principal, at.subject) && audiences.includes(at.audience);
        expect(mayRead(PARTITION, principal, at)).toBe(expected);
        expect(readsAnything(PARTITION, principal)).toBe(audiences.length > 0);
      }),
    );
  });
});

describe('writing', () => {
  it.each([
    { scopes: [], subjects: ['ray'], right: 'insufficient_scope' },
    { scopes: ['read.user', 'read.assistant'], subjects: ['ray'], right: 'insufficient_scope' },
    { scopes: ['read.user', 'read.assistant'], subjects: ['eve'], right: 'insufficient_scope' },
    { scopes: ['write'], subjects: ['ray'], right: 'absent' },
    { scopes: ['write', 'read.user'], subjects: ['ray'], right: 'absent' },
    { scopes: ['write', 'read.assistant'], subjects: ['ray'], right: 'absent' },
    { scopes: ['write', 'read.user', 'read.assistant'], subjects: ['eve'], right: 'absent' },
    { scopes: ['write', 'read.user', 'read.assistant'], subjects: [], right: 'absent' },
    { scopes: ['write', 'read.user', 'read.assistant'], subjects: ['ray'], right: 'allowed' },
    { scopes: ['write', 'read.user', 'read.assistant'], subjects: '*' as const, right: 'allowed' },
  ])('$scopes for $subjects: $right', ({ scopes, subjects, right }) => {
    expect(writeRight(PARTITION, principalOf(scopes, subjects), 'ray' as Subject)).toBe(right);
  });

  it('is allowed only to who may read every lane of the subject', () => {
    fc.assert(
      fc.property(principals, fc.constantFrom(...SUBJECTS), (principal, subject) => {
        const readsAll = PARTITION.rules.every(({ audience }) =>
          mayRead(PARTITION, principal, lane(subject, audience)),
        );
        const right = writeRight(PARTITION, principal, subject as Subject);
        expect(right === 'allowed').toBe(readsAll && principal.scopes.has('write'));
        expect(right === 'insufficient_scope').toBe(!principal.scopes.has('write'));
      }),
    );
  });
});

describe('narrowing', () => {
  it('never adds a right', () => {
    fc.assert(
      fc.property(principals, scopes, lanes, (principal, to, at) => {
        const narrowed = narrow(principal, to);
        const { sub, clientId, subjects } = principal;
        expect(narrowed).toMatchObject({ sub, clientId, subjects });
        if (mayRead(PARTITION, narrowed, at)) expect(mayRead(PARTITION, principal, at)).toBe(true);
        if (writeRight(PARTITION, narrowed, at.subject) === 'allowed') {
          expect(writeRight(PARTITION, principal, at.subject)).toBe('allowed');
        }
      }),
    );
  });

  it('keeps exactly the scopes that are both held and named, and leaves the caller as it was', () => {
    fc.assert(
      fc.property(principals, scopes, (principal, to) => {
        const before = [...principal.scopes];
        const kept = narrow(principal, to).scopes;
        expect([...kept].sort()).toEqual(before.filter((scope) => (to as string[]).includes(scope)).sort());
        expect([...principal.scopes]).toEqual(before);
      }),
    );
  });
});
