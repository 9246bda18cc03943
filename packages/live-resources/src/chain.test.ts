import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { later, START, sampleFact, type VersionParts, versionAfter } from '../testing/sample-facts.ts';
import { replayChain } from './chain.ts';
import type { Instant } from './clock.ts';
import type { LaneHead } from './store.ts';
import { versionHash } from './tuple.ts';
import type { FactVersion, Salts } from './version.ts';

const FACT = sampleFact('user', 'ray', 'walking');

/** A step of a history: what was said, and how many other facts of the lane changed in between. */
interface Step {
  readonly said: VersionParts;
  readonly between: number;
}

const texts = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 });
const saids = fc.record({
  value: fc.option(texts, { freq: 6 }),
  authorLabel: texts,
  attestation: fc.option(texts),
  blob: fc.option(fc.record({ mediaType: texts, bytes: fc.uint8Array({ maxLength: 8 }) })),
  staleAfter: fc.option(fc.constant(later(START, 1_000_000))),
});
const steps: fc.Arbitrary<Step> = fc.record({ said: saids, between: fc.nat({ max: 3 }) });
const chains = chainsOf(1, 6);

function chainsOf(least: number, most: number): fc.Arbitrary<FactVersion[]> {
  return fc.array(steps, { minLength: least, maxLength: most }).map(chainOf);
}

function chainOf(history: readonly Step[]): FactVersion[] {
  const versions: FactVersion[] = [];
  let lane: LaneHead | null = null;
  for (const [index, { said, between }] of history.entries()) {
    const value = index === 0 ? (said.value ?? 'said first') : said.value;
    const at: LaneHead = {
      ordinal: (lane?.ordinal ?? 0) + between,
      writtenAt: lane?.writtenAt ?? START,
    };
    const version = versionAfter({ fact: versions.at(-1) ?? null, lane: at }, FACT, {
      ...said,
      value: value ?? null,
    });
    versions.push(version);
    lane = { ordinal: version.laneOrdinal, writtenAt: version.writtenAt };
  }
  return versions;
}

function headOf(versions: readonly FactVersion[]): FactVersion {
  const head = versions.at(-1);
  if (head === undefined) throw new Error('a chain in a test has a version');
  return head;
}

/** A version that its writer changed before hashing it. */
function rehashed(version: FactVersion, parts: Partial<FactVersion>): FactVersion {
  const changed = { ...version, ...parts };
  return { ...changed, versionHash: versionHash(changed) };
}

const brokenAt = (version: number) => ({ intact: false, brokenAt: version });

describe('a chain', () => {
  it('is intact as it was written, whatever was said', () => {
    fc.assert(
      fc.property(chains, (versions) => {
        expect(replayChain(versions, headOf(versions))).toEqual({ intact: true });
        expect(replayChain(versions, null)).toEqual({ intact: true });
      }),
    );
  });

  it('is intact when there is none', () => {
    expect(replayChain([], null)).toEqual({ intact: true });
  });
});

type Change = (version: FactVersion) => Partial<FactVersion>;

const flip = (salt: Uint8Array): Uint8Array => salt.with(0, (salt[0] ?? 0) ^ 1);
const stray = new Uint8Array(32);
const saltOf =
  (part: keyof Salts, change: (salt: Uint8Array | null) => Uint8Array | null): Change =>
  ({ salts }) => ({ salts: { ...salts, [part]: change(salts[part]) } });

const CHANGES: Record<string, Change> = {
  subject: () => ({ subject: 'eve' as FactVersion['subject'] }),
  topic: () => ({ topic: 'stairs' as FactVersion['topic'] }),
  uri: ({ uri }) => ({ uri: uri.replace('fact:', 'fact-internal:') as FactVersion['uri'] }),
  audience: () => ({ audience: 'assistant' as FactVersion['audience'] }),
  version: ({ version }) => ({ version: version + 1 }),
  kind: ({ kind }) => ({ kind: kind === 'revise' ? 'withdraw' : 'revise' }),
  laneOrdinal: ({ laneOrdinal }) => ({ laneOrdinal: laneOrdinal + 1 }),
  value: ({ value }) => ({ value: value === null ? 'said after all' : `${value}.` }),
  'value and its salt': ({ value, salts }) =>
    value === null
      ? { value: '', salts: { ...salts, value: stray } }
      : { value: null, salts: { ...salts, value: null } },
  'blob media type': ({ blob }) => ({
    blob: { mediaType: `${blob?.mediaType}x`, bytes: blob?.bytes ?? stray },
  }),
  'blob bytes': ({ blob }) => ({
    blob: { mediaType: blob?.mediaType ?? 'x', bytes: new Uint8Array([...(blob?.bytes ?? []), 0]) },
  }),
  authorId: ({ authorId }) => ({ authorId: `${authorId}0` }),
  authorLabel: ({ authorLabel }) => ({ authorLabel: `${authorLabel} ` }),
  attestation: ({ attestation }) => ({ attestation: attestation === null ? '' : `${attestation} ` }),
  'a lone surrogate': () => ({ authorLabel: '\ud800' }),
  writtenAt: ({ writtenAt }) => ({ writtenAt: later(writtenAt, 1) }),
  staleAfter: ({ staleAfter }) => ({ staleAfter: staleAfter === null ? START : null }),
  prevHash: ({ prevHash }) => ({
    prevHash: prevHash === null ? ('0'.repeat(64) as FactVersion['prevHash']) : null,
  }),
  versionHash: ({ versionHash }) => ({
    versionHash: versionHash.replace(/./, (digit) =>
      digit === '0' ? '1' : '0',
    ) as FactVersion['versionHash'],
  }),
  'versionHash, in upper case': ({ versionHash }) => ({
    versionHash: `${versionHash.toUpperCase()}` as FactVersion['versionHash'],
  }),
  'salt of the URI': saltOf('uri', (salt) => salt && flip(salt)),
  'salt of the value': saltOf('value', (salt) => (salt === null ? stray : flip(salt))),
  'salt of the author': saltOf('author', (salt) => salt && flip(salt)),
  'salt of the label': saltOf('label', (salt) => salt && flip(salt)),
  'salt of the attestation': saltOf('attestation', (salt) => (salt === null ? stray : flip(salt))),
  'salt of the blob': saltOf('blob', (salt) => (salt === null ? stray : flip(salt))),
  'length of a salt': saltOf('author', (salt) => salt?.subarray(1) ?? null),
  'presence of a salt': saltOf('blob', (salt) => (salt === null ? stray : null)),
};

describe('a change of one version is located there', () => {
  it.each(Object.entries(CHANGES))('%s', (_field, change) => {
    fc.assert(
      fc.property(chains, fc.nat(), (versions, choice) => {
        const at = choice % versions.length;
        const changed = versions.map((version, index) =>
          index === at ? { ...version, ...change(version) } : version,
        );
        expect(replayChain(changed, headOf(versions))).toEqual(brokenAt(at + 1));
        expect(replayChain(changed, null)).toEqual(brokenAt(at + 1));
      }),
      { numRuns: 40 },
    );
  });

  it('has a case for every field of a version and for every salt', () => {
    const { blob, salts, ...fields } = headOf(chainOf([{ said: {}, between: 0 }]));
    const parts = { ...fields, 'blob bytes': blob, 'blob media type': blob };
    for (const field of Object.keys(parts)) expect(CHANGES).toHaveProperty([field]);
    expect(Object.keys(CHANGES).filter((name) => name.startsWith('salt of'))).toHaveLength(
      Object.keys(salts).length,
    );
  });
});

describe('a version that was hashed anew after a change', () => {
  it('is located at the next one, which names another', () => {
    fc.assert(
      fc.property(chainsOf(2, 6), fc.nat(), texts, (versions, choice, authorLabel) => {
        const at = choice % (versions.length - 1);
        const version = versions[at] as FactVersion;
        fc.pre(version.authorLabel !== authorLabel);
        const changed = versions.with(at, rehashed(version, { authorLabel }));
        expect(replayChain(changed, headOf(versions))).toEqual(brokenAt(at + 2));
      }),
    );
  });

  it('is located by the head when it is the last', () => {
    fc.assert(
      fc.property(chains, texts, (versions, authorLabel) => {
        const last = headOf(versions);
        fc.pre(last.authorLabel !== authorLabel);
        const changed = versions.with(-1, rehashed(last, { authorLabel }));
        expect(replayChain(changed, last)).toEqual(brokenAt(versions.length));
        expect(replayChain(changed, null)).toEqual({ intact: true });
      }),
    );
  });

  const says = (value: string | null): Step => ({ said: { value }, between: 1 });
  const [first, second, third] = chainOf([says('one'), says('two'), says('three')]) as [
    FactVersion,
    FactVersion,
    FactVersion,
  ];

  it.each<[string, Partial<FactVersion>]>([
    ['skips a number', { version: 3 }],
    ['is a second creation', { kind: 'create' }],
    ['is a withdrawal with words', { kind: 'withdraw' }],
    ['is a revision without words', { value: null, salts: { ...second.salts, value: null } }],
    ['is of another audience', { audience: 'assistant' as FactVersion['audience'] }],
    ['is of another URI', { uri: 'fact-internal://ray/walking' as FactVersion['uri'] }],
    [
      'is the version of another fact',
      { uri: 'fact://eve/walking' as FactVersion['uri'], subject: 'eve' as FactVersion['subject'] },
    ],
    ['follows no version', { prevHash: null }],
    ['follows itself', { prevHash: second.versionHash }],
    ['stands where the one before it stood in the lane', { laneOrdinal: first.laneOrdinal }],
    ['stands before it in the lane', { laneOrdinal: 0 }],
    ['is older than the one before it', { writtenAt: '2026-01-01T00:00:00.000Z' as Instant }],
  ])('is located when it %s', (_what, parts) => {
    const forged = rehashed(second, parts);
    const next = rehashed(third, { prevHash: forged.versionHash });
    expect(replayChain([first, forged, next], next)).toEqual(brokenAt(2));
  });

  it.each<[string, Partial<FactVersion>]>([
    ['is no creation', { kind: 'revise' }],
    ['is a withdrawal', { kind: 'withdraw', value: null, salts: { ...first.salts, value: null } }],
    ['follows a version', { prevHash: third.versionHash }],
    ['is filed under another subject', { subject: 'eve' as FactVersion['subject'] }],
    ['is filed under another topic', { topic: 'stairs' as FactVersion['topic'] }],
    ['has a version in its URI', { uri: 'fact://ray/walking/v1' as FactVersion['uri'] }],
    ['has a URI in another spelling', { uri: 'FACT://ray/walking' as FactVersion['uri'] }],
    ['is version 0', { version: 0 }],
  ])('is located as the first when it %s', (_what, parts) => {
    const forged = rehashed(first, parts);
    expect(replayChain([forged], forged)).toEqual(brokenAt(1));
  });
});

describe('versions that were moved are located at the first that disagrees:', () => {
  const longer = chainsOf(2, 6);

  it('two that changed places', () => {
    fc.assert(
      fc.property(longer, fc.nat(), fc.nat(), (versions, a, b) => {
        const [one, other] = [a % versions.length, b % versions.length];
        fc.pre(one !== other);
        const swapped = versions
          .with(one, versions[other] as FactVersion)
          .with(other, versions[one] as FactVersion);
        expect(replayChain(swapped, headOf(versions))).toEqual(brokenAt(Math.min(one, other) + 1));
      }),
    );
  });

  it('one that was dropped before the last', () => {
    fc.assert(
      fc.property(longer, fc.nat(), (versions, choice) => {
        const at = choice % (versions.length - 1);
        expect(replayChain(versions.toSpliced(at, 1), headOf(versions))).toEqual(brokenAt(at + 1));
      }),
    );
  });

  it('one that stands there twice', () => {
    fc.assert(
      fc.property(chains, fc.nat(), (versions, choice) => {
        const at = choice % versions.length;
        const doubled = versions.toSpliced(at, 0, versions[at] as FactVersion);
        expect(replayChain(doubled, headOf(versions))).toEqual(brokenAt(at + 2));
      }),
    );
  });

  it('one of another chain', () => {
    fc.assert(
      fc.property(chains, chains, fc.nat(), (versions, others, choice) => {
        const at = choice % versions.length;
        const other = others[at];
        fc.pre(other !== undefined && other.versionHash !== versions[at]?.versionHash);
        const verdict = replayChain(versions.with(at, other as FactVersion), headOf(versions));
        // It may fit behind the version before it: then the one after it, or the head, disagrees.
        const fits = other?.prevHash === (versions[at - 1]?.versionHash ?? null);
        expect(verdict).toEqual(brokenAt(fits && at + 1 < versions.length ? at + 2 : at + 1));
      }),
    );
  });
});

describe('the head of a chain', () => {
  it('shows a tail that was cut off, at the first version that is missing', () => {
    fc.assert(
      fc.property(chains, fc.nat(), (versions, choice) => {
        const kept = choice % versions.length;
        const cut = versions.slice(0, kept);
        expect(replayChain(cut, headOf(versions))).toEqual(brokenAt(kept + 1));
        expect(replayChain(cut, null)).toEqual({ intact: true });
      }),
    );
  });

  it('shows a version that was never published, at that version', () => {
    fc.assert(
      fc.property(chainsOf(2, 6), fc.nat(), (versions, choice) => {
        const published = 1 + (choice % (versions.length - 1));
        const head = headOf(versions.slice(0, published));
        expect(replayChain(versions, head)).toEqual(brokenAt(published + 1));
      }),
    );
  });

  it('shows a whole chain that was rewritten', () => {
    fc.assert(
      fc.property(chains, chains, (versions, others) => {
        const head = headOf(others);
        fc.pre(versions.every(({ versionHash }) => versionHash !== head.versionHash));
        expect(replayChain(versions, head)).toEqual(brokenAt(Math.min(head.version, versions.length + 1)));
      }),
    );
  });

  it('is not looked at where a version before it disagrees', () => {
    const versions = chainOf([
      { said: { value: 'one' }, between: 0 },
      { said: { value: 'two' }, between: 0 },
    ]);
    const changed = versions.map((version) => ({ ...version, value: 'three' }));
    expect(replayChain(changed, { version: 9, versionHash: 'other' })).toEqual(brokenAt(1));
  });
});
