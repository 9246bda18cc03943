/**
 * The test vectors of docs/spec/chain.md, computed from its prose alone: nothing here is shared with the
 * library that the vectors test, so the hashed tuple cannot change there unnoticed.
 */
import { createHash } from 'node:crypto';
import { SAMPLES, type Sample, type SampleName } from './chain-vector-samples.ts';

/** Anything that the tuple and its preimages are made of. */
export type Json = null | number | string | { readonly [name: string]: Json };

/** JSON in the canonical form of RFC 8785, for whole numbers, strings, null and objects of them. */
export function canonicalJson(value: Json): string {
  if (value === null) return 'null';
  if (typeof value === 'number') {
    if (!Number.isSafeInteger(value)) throw new Error(`not a whole number: ${value}`);
    return String(value);
  }
  if (typeof value === 'string') return canonicalString(value);
  // UTF-16 code units order the names, as `<` does.
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([name, member]) => `${canonicalString(name)}:${canonicalJson(member)}`).join(',')}}`;
}

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x08, '\\b'],
  [0x09, '\\t'],
  [0x0a, '\\n'],
  [0x0c, '\\f'],
  [0x0d, '\\r'],
  [0x22, '\\"'],
  [0x5c, '\\\\'],
]);

function canonicalString(text: string): string {
  if (!text.isWellFormed()) throw new Error('a lone surrogate has no canonical form');
  let out = '"';
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    const short = SHORT_ESCAPES.get(unit);
    if (short !== undefined) out += short;
    else if (unit < 0x20) out += `\\u${unit.toString(16).padStart(4, '0')}`;
    else out += text.charAt(at);
  }
  return `${out}"`;
}

const PARTS = ['uri', 'value', 'author', 'label', 'attestation', 'blob'] as const;
type Part = (typeof PARTS)[number];
type ByPart = Readonly<Record<Part, string | null>>;

function sha256(...pieces: (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

function forEachPart(give: (part: Part) => string | null): ByPart {
  return Object.fromEntries(PARTS.map((part) => [part, give(part)])) as ByPart;
}

function committed(sample: Sample): Readonly<Record<Part, Json>> {
  const { uri, value, authorId, authorLabel, attestation, blob } = sample;
  const digest = blob && { mediaType: blob.mediaType, sha256: sha256(Buffer.from(blob.bytes, 'base64')) };
  return { uri, value, author: authorId, label: authorLabel, attestation, blob: digest };
}

function vector(sample: Sample, prevHash: string | null): { versionHash: string; entry: object } {
  const { name, follows: _follows, ...stated } = sample;
  const said = committed(sample);
  const preimages = forEachPart((part) => (said[part] === null ? null : canonicalJson(said[part])));
  // Any 32 bytes would do; these can be made again.
  const salts = forEachPart((part) =>
    preimages[part] === null ? null : sha256(`salt of the ${part}, ${name}`),
  );
  const commitments = forEachPart((part) => {
    const [salt, preimage] = [salts[part], preimages[part]];
    return salt === null || preimage === null ? null : sha256(Buffer.from(salt, 'hex'), preimage);
  });
  const tuple = canonicalJson({
    format: 'unsay-version/1',
    laneOrdinal: sample.laneOrdinal,
    version: sample.version,
    audience: sample.audience,
    prevHash,
    uriCommitment: commitments.uri,
    valueCommitment: commitments.value,
    authorCommitment: commitments.author,
    labelCommitment: commitments.label,
    attestationCommitment: commitments.attestation,
    blobCommitment: commitments.blob,
    writtenAt: sample.writtenAt,
    staleAfter: sample.staleAfter,
    kind: sample.kind,
  });
  const versionHash = sha256(tuple);
  const version = { ...stated, prevHash, salts, versionHash };
  return { versionHash, entry: { name, version, preimages, commitments, tuple } };
}

/** Chains that a replay must judge so: the versions it is given, the head it is told of, what it answers. */
const REPLAYS: readonly {
  readonly name: string;
  readonly versions: readonly SampleName[];
  readonly head: SampleName | null;
  readonly verdict: { readonly intact: true } | { readonly intact: false; readonly brokenAt: number };
}[] = [
  {
    name: 'whole',
    versions: ['first version', 'revision', 'withdrawal', 'said again'],
    head: 'said again',
    verdict: { intact: true },
  },
  {
    name: 'tail cut off',
    versions: ['first version', 'revision'],
    head: 'said again',
    verdict: { intact: false, brokenAt: 3 },
  },
  {
    name: 'tail cut off, head not known',
    versions: ['first version', 'revision'],
    head: null,
    verdict: { intact: true },
  },
  {
    name: 'version missing',
    versions: ['first version', 'withdrawal', 'said again'],
    head: 'said again',
    verdict: { intact: false, brokenAt: 2 },
  },
  {
    name: 'versions in another order',
    versions: ['first version', 'withdrawal', 'revision', 'said again'],
    head: 'said again',
    verdict: { intact: false, brokenAt: 2 },
  },
  {
    name: 'version doubled',
    versions: ['first version', 'first version', 'revision'],
    head: 'revision',
    verdict: { intact: false, brokenAt: 2 },
  },
  {
    name: 'version after the head',
    versions: ['first version', 'revision', 'withdrawal'],
    head: 'revision',
    verdict: { intact: false, brokenAt: 3 },
  },
  {
    name: 'version of another fact',
    versions: ['blob'],
    head: 'first version',
    verdict: { intact: false, brokenAt: 1 },
  },
  { name: 'gone', versions: [], head: 'first version', verdict: { intact: false, brokenAt: 1 } },
];

/** The text of docs/spec/vectors/chain.json. */
export function chainVectors(): string {
  const hashes = new Map<string, string>();
  const vectors = SAMPLES.map((sample) => {
    const prevHash = sample.follows === null ? null : (hashes.get(sample.follows) ?? '');
    const { versionHash, entry } = vector(sample, prevHash);
    hashes.set(sample.name, versionHash);
    return entry;
  });
  const json = JSON.stringify({ format: 'unsay-version/1', vectors, replays: REPLAYS }, null, 2);
  return `${ascii(namesOnOneLine(json))}\n`;
}

/** The form that the formatter of the house gives to lists of short names. */
function namesOnOneLine(json: string): string {
  return json.replace(
    /\[\n +("[^\]]*")\n +\]/g,
    (_list, names: string) => `[${names.replace(/\n +/g, ' ')}]`,
  );
}

/** The same JSON without a character that an editor could hide, reorder or change. */
function ascii(json: string): string {
  return json.replace(/[^\n -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
