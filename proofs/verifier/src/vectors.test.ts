import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canonicalJson } from './canonical-json.ts';
import { type Link, replayChain, type Verdict } from './chain.ts';
import { parseFactUri } from './fact-uri.ts';
import { PARTS, type Part, type Version } from './records.ts';
import { commitment, hashOf, TUPLE_FORMAT, tupleOf } from './tuple.ts';

interface Vector {
  readonly name: string;
  readonly version: Version;
  readonly preimages: Readonly<Record<Part, string | null>>;
  readonly commitments: Readonly<Record<Part, string | null>>;
  readonly tuple: string;
}

interface Vectors {
  readonly format: string;
  readonly vectors: readonly Vector[];
  readonly replays: readonly {
    readonly name: string;
    readonly versions: readonly string[];
    readonly head: string | null;
    readonly verdict: Verdict;
  }[];
}

const FILE = join(import.meta.dirname, '../../../docs/spec/vectors/chain.json');
const { format, vectors, replays } = JSON.parse(readFileSync(FILE, 'utf8')) as Vectors;

function named(name: string): Version {
  const vector = vectors.find((each) => each.name === name);
  if (vector === undefined) throw new Error(`there is no vector ${name}`);
  return vector.version;
}

function linkOf(version: Version): Link | null {
  const tuple = tupleOf(version);
  if (typeof tuple === 'string' || hashOf(tuple) !== version.versionHash) return null;
  return { tuple, versionHash: version.versionHash, uri: version.uri };
}

it('there are vectors, of the format that is known here', () => {
  expect(format).toBe(TUPLE_FORMAT);
  expect(vectors.length).toBeGreaterThanOrEqual(12);
  expect(replays.length).toBeGreaterThanOrEqual(9);
});

describe.each(vectors)('vector "$name"', ({ version, preimages, commitments, tuple }) => {
  it('has these commitments', () => {
    for (const part of PARTS) {
      const [salt, preimage] = [version.salts[part], preimages[part]];
      const found = salt === null || preimage === null ? null : commitment(salt, JSON.parse(preimage));
      expect(found, part).toBe(commitments[part]);
    }
  });

  it('has this tuple and this hash', () => {
    const found = tupleOf(version);
    if (typeof found === 'string') throw new Error(found);
    expect(canonicalJson({ ...found })).toBe(tuple);
    expect(hashOf(found)).toBe(version.versionHash);
  });

  it('has the URI of its subject and topic', () => {
    expect(parseFactUri(version.uri)).toMatchObject({ subject: version.subject, topic: version.topic });
  });
});

it.each(replays)('replay "$name"', ({ versions, head, verdict }) => {
  const replay = replayChain(head === null ? null : named(head));
  for (const name of versions) replay.next(linkOf(named(name)));
  expect(replay.end()).toEqual(verdict);
});
