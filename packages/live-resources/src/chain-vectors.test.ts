import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import canonicalize from 'canonicalize';
import { describe, expect, it } from 'vitest';
import { type ChainVerdict, replayChain } from './chain.ts';
import { commitment, hashTuple, TUPLE_FORMAT, versionHash, versionTuple } from './tuple.ts';
import type { FactVersion, Salts } from './version.ts';

/** docs/spec/vectors/chain.json, which an implementation that shares nothing with this one computes. */
interface Vectors {
  readonly format: string;
  readonly vectors: readonly Vector[];
  readonly replays: readonly {
    readonly name: string;
    readonly versions: readonly string[];
    readonly head: string | null;
    readonly verdict: ChainVerdict;
  }[];
}

interface Vector {
  readonly name: string;
  readonly version: Omit<FactVersion, 'salts' | 'blob'> & {
    readonly salts: Readonly<Record<keyof Salts, string | null>>;
    readonly blob: { readonly mediaType: string; readonly bytes: string } | null;
  };
  readonly preimages: Readonly<Record<keyof Salts, string | null>>;
  readonly commitments: Readonly<Record<keyof Salts, string | null>>;
  readonly tuple: string;
}

const FILE = join(import.meta.dirname, '../../../docs/spec/vectors/chain.json');
const { format, vectors, replays } = JSON.parse(readFileSync(FILE, 'utf8')) as Vectors;

function versionOf({ version }: Vector): FactVersion {
  const { blob } = version;
  const salts = Object.entries(version.salts).map(([part, hex]) => [part, hex && bytesOf(hex, 'hex')]);
  return {
    ...version,
    blob: blob && { mediaType: blob.mediaType, bytes: bytesOf(blob.bytes, 'base64') },
    salts: Object.fromEntries(salts) as unknown as Salts,
  };
}

function bytesOf(text: string, encoding: 'hex' | 'base64'): Uint8Array {
  return new Uint8Array(Buffer.from(text, encoding));
}

function named(name: string | null): FactVersion | null {
  const vector = vectors.find((each) => each.name === name);
  return vector === undefined ? null : versionOf(vector);
}

it('the vectors are of the format that is hashed, and there are some', () => {
  expect(format).toBe(TUPLE_FORMAT);
  expect(vectors.length).toBeGreaterThanOrEqual(12);
  expect(replays.length).toBeGreaterThanOrEqual(9);
});

describe.each(vectors)('vector "$name"', (vector) => {
  const version = versionOf(vector);
  const tuple = versionTuple(version);

  it('has these commitments', () => {
    const { uri, value, author, label, attestation, blob } = vector.commitments;
    expect(tuple).toMatchObject({
      uriCommitment: uri,
      valueCommitment: value,
      authorCommitment: author,
      labelCommitment: label,
      attestationCommitment: attestation,
      blobCommitment: blob,
    });
  });

  it('commits to these preimages', () => {
    for (const part of Object.keys(vector.preimages) as (keyof Salts)[]) {
      const salt = version.salts[part];
      const preimage = vector.preimages[part];
      if (salt === null || preimage === null) expect([salt, preimage]).toEqual([null, null]);
      else expect(commitment(salt, JSON.parse(preimage))).toBe(vector.commitments[part]);
    }
  });

  it('has this tuple, to the byte', () => {
    expect(canonicalize(tuple)).toBe(vector.tuple);
  });

  it('has this hash', () => {
    expect(hashTuple(tuple)).toBe(version.versionHash);
    expect(versionHash(version)).toBe(version.versionHash);
  });
});

it.each(replays)('replay "$name"', ({ versions, head, verdict }) => {
  const chain = versions.map(named).filter((version) => version !== null);
  expect(chain).toHaveLength(versions.length);
  expect(replayChain(chain, named(head))).toEqual(verdict);
});
