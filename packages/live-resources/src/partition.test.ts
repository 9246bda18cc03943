import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sampleFact } from '../testing/sample-facts.ts';
import { parseFactUri } from './fact-uri.ts';
import {
  definePartition,
  factUri,
  type PartitionDefinition,
  ruleOfAudience,
  ruleOfScheme,
} from './partition.ts';

const USER = { audience: 'user', scheme: 'fact', readScope: 'read.user', speakable: true };
const ASSISTANT = {
  audience: 'assistant',
  scheme: 'fact-internal',
  readScope: 'read.assistant',
  speakable: false,
};

function define(
  first: Partial<PartitionDefinition['audiences'][number]>,
  second: Partial<PartitionDefinition['audiences'][number]> = {},
  writeScope = 'write',
): () => unknown {
  return () =>
    definePartition({
      audiences: [
        { ...USER, ...first },
        { ...ASSISTANT, ...second },
      ],
      writeScope,
    });
}

describe('a partition is refused when', () => {
  it.each([
    ['two audiences share a name', define({}, { audience: 'user' }), 'share one audience user'],
    ['two audiences share a scheme', define({}, { scheme: 'fact' }), 'share one scheme fact'],
    ['two audiences share a scope', define({}, { readScope: 'read.user' }), 'share one scope read.user'],
    [
      'reading takes the scope of writing',
      define({}, {}, 'read.assistant'),
      'share one scope read.assistant',
    ],
    ['an audience has no name', define({ audience: '' }), 'not an audience name: ""'],
    ['an audience is in upper case', define({ audience: 'User' }), 'not an audience name'],
    ['an audience has a line break', define({ audience: 'user\n' }), 'not an audience name'],
    ['an audience is too long', define({ audience: 'a'.repeat(33) }), 'not an audience name'],
    ['a scheme is empty', define({ scheme: '' }), 'not a URI scheme: ""'],
    ['a scheme is in upper case', define({ scheme: 'Fact' }), 'not a URI scheme'],
    ['a scheme begins with a digit', define({ scheme: '1fact' }), 'not a URI scheme'],
    ['a scheme comes with its slashes', define({ scheme: 'fact://' }), 'not a URI scheme'],
    ['a scheme is too long', define({ scheme: 'a'.repeat(65) }), 'not a URI scheme'],
    ['a scope is empty', define({ readScope: '' }), 'not a scope: ""'],
    ['a scope has a space', define({}, { readScope: 'read write' }), 'not a scope: "read write"'],
    ['the writing scope is empty', define({}, {}, ''), 'not a scope: ""'],
  ])('%s', (_why, defining, message) => {
    expect(defining).toThrow(message);
  });
});

describe('a partition', () => {
  const partition = definePartition({ audiences: [USER, ASSISTANT], writeScope: 'write' });

  it('cannot be changed afterwards', () => {
    expect(Object.isFrozen(partition)).toBe(true);
    expect(Object.isFrozen(partition.rules)).toBe(true);
    expect(partition.rules.every((rule) => Object.isFrozen(rule))).toBe(true);
  });

  it('does not follow the definition it was made from', () => {
    const definition = { audiences: [{ ...USER }], writeScope: 'write' };
    const made = definePartition(definition);
    for (const rule of definition.audiences) rule.readScope = 'none';
    expect(made.rules[0]?.readScope).toBe('read.user');
  });

  it('finds a rule by its exact scheme or audience and by nothing else', () => {
    expect(ruleOfScheme(partition, 'fact')).toBe(partition.rules[0]);
    expect(ruleOfScheme(partition, 'fact-internal')).toBe(partition.rules[1]);
    expect(ruleOfAudience(partition, 'assistant')).toBe(partition.rules[1]);
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('Fact', 'fact:', 'constructor', '__proto__')),
        (text) => {
          fc.pre(!['fact', 'fact-internal', 'user', 'assistant'].includes(text));
          expect(ruleOfScheme(partition, text)).toBeNull();
          expect(ruleOfAudience(partition, text)).toBeNull();
        },
      ),
    );
  });

  it('does not take an audience for a scheme, nor a scheme for an audience', () => {
    expect(ruleOfScheme(partition, 'user')).toBeNull();
    expect(ruleOfAudience(partition, 'fact')).toBeNull();
  });

  it('names a fact by the scheme of its audience', () => {
    for (const audience of ['user', 'assistant'] as const) {
      const fact = sampleFact(audience, 'ray', 'walking');
      const { scheme } = fact.rule;
      expect(parseFactUri(factUri(fact.rule, fact))).toMatchObject({
        scheme,
        subject: 'ray',
        topic: 'walking',
      });
    }
  });
});
