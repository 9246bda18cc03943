import { canonicalJson, type Json } from './canonical-json.ts';

/** The six parts of a version that are committed to. */
export const PARTS = ['uri', 'value', 'author', 'label', 'attestation', 'blob'] as const;
export type Part = (typeof PARTS)[number];

/** A version as docs/spec/chain.md writes it, "As JSON". */
export interface Version {
  readonly subject: string;
  readonly topic: string;
  readonly uri: string;
  readonly audience: string;
  readonly version: number;
  readonly kind: string;
  readonly laneOrdinal: number;
  readonly value: string | null;
  readonly blob: { readonly mediaType: string; readonly bytes: string } | null;
  readonly authorId: string;
  readonly authorLabel: string;
  readonly attestation: string | null;
  readonly writtenAt: string;
  readonly staleAfter: string | null;
  readonly prevHash: string | null;
  readonly salts: Readonly<Record<Part, string | null>>;
  readonly versionHash: string;
}

/** The hashed tuple of docs/spec/chain.md. */
export interface Tuple {
  readonly format: string;
  readonly laneOrdinal: number;
  readonly version: number;
  readonly audience: string;
  readonly prevHash: string | null;
  readonly uriCommitment: string;
  readonly valueCommitment: string | null;
  readonly authorCommitment: string;
  readonly labelCommitment: string;
  readonly attestationCommitment: string | null;
  readonly blobCommitment: string | null;
  readonly writtenAt: string;
  readonly staleAfter: string | null;
  readonly kind: string;
}

/** An attempt to write, as the audit log keeps it. */
export interface Attempt {
  readonly at: string;
  readonly actor: string | null;
  readonly uri: string | null;
  readonly outcome: string;
  readonly reason: string | null;
  readonly via: string;
  readonly count: number;
}

/** The types of lines between header and trailer, in their order; `erased` stands among `version`. */
export const COUNTED_TYPES = ['meta', 'fact', 'lane', 'audit', 'counted', 'version', 'erased'] as const;
export type CountedType = (typeof COUNTED_TYPES)[number];

/** A line of an export, by its type (docs/spec/export.md). */
export type ExportRecord =
  | { readonly type: 'header'; readonly format: string; readonly exportedAt: string }
  | { readonly type: 'meta'; readonly key: string; readonly value: string }
  | { readonly type: 'fact'; readonly uri: string; readonly version: number; readonly versionHash: string }
  | {
      readonly type: 'lane';
      readonly subject: string;
      readonly audience: string;
      readonly ordinal: number;
      readonly writtenAt: string;
    }
  | ({ readonly type: 'version' } & Version)
  | {
      readonly type: 'erased';
      readonly subject: string;
      readonly uri: string;
      readonly tuple: Tuple;
      readonly versionHash: string;
    }
  | ({ readonly type: 'audit'; readonly prevHash: string | null; readonly hash: string } & Attempt)
  | ({ readonly type: 'counted' } & Attempt)
  | {
      readonly type: 'trailer';
      readonly counts: Readonly<Record<CountedType, number>>;
      readonly sha256: string;
    };

type Shape = (value: Json | undefined) => boolean;

const text: Shape = (value) => typeof value === 'string';
const textOrNull: Shape = (value) => value === null || text(value);
const number: Shape = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const hash: Shape = (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
const hashOrNull: Shape = (value) => value === null || hash(value);
const time: Shape = (value) => typeof value === 'string' && isTime(value);
const timeOrNull: Shape = (value) => value === null || time(value);
const orNull =
  (shape: Shape): Shape =>
  (value) =>
    value === null || shape(value);

/** An object of exactly these members. */
function members(shapes: Readonly<Record<string, Shape>>): Shape {
  const names = Object.keys(shapes);
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const given = value as { readonly [name: string]: Json };
    return (
      Object.keys(given).length === names.length &&
      names.every((name) => Object.hasOwn(given, name) && shapes[name]?.(given[name]) === true)
    );
  };
}

const each = (names: readonly string[], shape: Shape): Readonly<Record<string, Shape>> =>
  Object.fromEntries(names.map((name) => [name, shape]));

const ATTEMPT = {
  at: time,
  outcome: text,
  via: text,
  count: number,
  ...each(['actor', 'uri', 'reason'], textOrNull),
};

const TUPLE = {
  ...each(['format', 'audience', 'kind'], text),
  ...each(['laneOrdinal', 'version'], number),
  ...each(['uriCommitment', 'authorCommitment', 'labelCommitment'], hash),
  ...each(['prevHash', 'valueCommitment', 'attestationCommitment', 'blobCommitment'], hashOrNull),
  writtenAt: time,
  staleAfter: timeOrNull,
};

const VERSION = {
  ...each(['subject', 'topic', 'uri', 'audience', 'kind', 'authorId', 'authorLabel'], text),
  ...each(['version', 'laneOrdinal'], number),
  ...each(['value', 'attestation'], textOrNull),
  blob: orNull(members({ mediaType: text, bytes: text })),
  writtenAt: time,
  staleAfter: timeOrNull,
  prevHash: hashOrNull,
  salts: members(each(PARTS, textOrNull)),
  versionHash: hash,
};

const SHAPES: Readonly<Record<ExportRecord['type'], Shape>> = {
  header: members({ type: text, format: text, exportedAt: time }),
  meta: members({ type: text, key: text, value: text }),
  fact: members({ type: text, uri: text, version: number, versionHash: hash }),
  lane: members({ type: text, subject: text, audience: text, ordinal: number, writtenAt: time }),
  version: members({ type: text, ...VERSION }),
  erased: members({ type: text, subject: text, uri: text, tuple: members(TUPLE), versionHash: hash }),
  audit: members({ type: text, ...ATTEMPT, prevHash: hashOrNull, hash }),
  counted: members({ type: text, ...ATTEMPT }),
  trailer: members({ type: text, counts: members(each(COUNTED_TYPES, number)), sha256: hash }),
};

/** Reads a line: its record, or what is wrong with it. */
export function parseRecord(line: string): ExportRecord | string {
  let value: Json;
  try {
    value = JSON.parse(line) as Json;
    if (canonicalJson(value) !== line) return 'is not in canonical form';
  } catch {
    return 'is not JSON in canonical form';
  }
  const type = typeof value === 'object' && value !== null && 'type' in value ? value.type : undefined;
  if (typeof type !== 'string' || !Object.hasOwn(SHAPES, type)) return 'has no known type';
  const record = value as unknown as ExportRecord;
  return SHAPES[record.type](value) ? record : `has not the members of type ${type}`;
}

/** Whether a text is a time as `YYYY-MM-DDThh:mm:ss.sssZ` that there is. */
function isTime(value: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false;
  const at = Date.parse(value);
  return !Number.isNaN(at) && new Date(at).toISOString() === value;
}
