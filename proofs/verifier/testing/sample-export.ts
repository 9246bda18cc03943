import { createHash } from 'node:crypto';
import { canonicalJson, type Json } from '../src/canonical-json.ts';
import { COUNTED_TYPES, PARTS, type Version } from '../src/records.ts';
import { hashOf, sha256, tupleOf } from '../src/tuple.ts';

/** A line before it is written. */
export type Draft = { readonly type: string } & { readonly [member: string]: Json };

interface Said {
  readonly uri: string;
  readonly value: string | null;
  readonly blob?: { readonly mediaType: string; readonly bytes: string };
  readonly attestation?: string;
  readonly staleAfter?: string;
  readonly erased?: true;
}

const SAID: readonly Said[] = [
  { uri: 'care://ray/walking', value: 'Walk 5 minutes.' },
  { uri: 'care-internal://ray/risk', value: 'Two near falls.', attestation: '{"signed":true}' },
  { uri: 'care://eve/wound', value: 'Keep it dry.\n“Quoted” \u2028 \u{1f6b6} \0', erased: true },
  { uri: 'care://ray/walking', value: 'Do not walk.', staleAfter: '2027-01-01T00:00:00.000Z' },
  { uri: 'care://eve/wound', value: 'Wet is fine.' },
  { uri: 'care://ray/gait', value: 'A clip.', blob: { mediaType: 'audio/wav', bytes: 'AAECAw==' } },
  { uri: 'care://ray/walking', value: null },
  { uri: 'care://ray/walking', value: 'Walk again.' },
];

const AUDIENCES: Readonly<Record<string, string>> = { care: 'user', 'care-internal': 'assistant' };

/** The lines of an export of some facts, without its trailer. */
export function sampleDrafts(said: readonly Said[] = SAID): Draft[] {
  const heads = new Map<string, Version>();
  const lanes = new Map<string, { subject: string; audience: string; ordinal: number; writtenAt: string }>();
  const versions = said.map((each, index) => {
    const version = versionOf(each, index, heads.get(each.uri), lanes);
    heads.set(each.uri, version);
    return each.erased ? erasedOf(version) : { type: 'version', ...version };
  });
  return [
    { type: 'header', format: 'unsay-export/1', exportedAt: '2026-12-02T09:00:00.000Z' },
    { type: 'meta', key: 'demonstration', value: 'seeded' },
    ...[...heads.values()]
      .map(({ uri, version, versionHash }) => ({ type: 'fact', uri, version, versionHash }))
      .sort((a, b) => (a.uri < b.uri ? -1 : 1)),
    ...[...lanes.entries()]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, lane]) => ({ type: 'lane', ...lane })),
    ...auditDrafts(said),
    {
      type: 'counted',
      at: '2026-12-01T10:00:00.000Z',
      actor: null,
      uri: null,
      outcome: 'refused',
      reason: 'bad_signature',
      via: 'hmac',
      count: 7,
    },
    ...versions,
  ];
}

/** The bytes of an export: the lines as they are written, with the trailer that belongs to them. */
export function sealed(drafts: readonly Draft[]): Buffer {
  const body = Buffer.from(drafts.map((draft) => `${canonicalJson(draft)}\n`).join(''));
  const counts = COUNTED_TYPES.map((type) => [type, drafts.filter((draft) => draft.type === type).length]);
  const trailer = { type: 'trailer', counts: Object.fromEntries(counts), sha256: sha256(body) };
  return Buffer.concat([body, Buffer.from(`${canonicalJson(trailer)}\n`)]);
}

function versionOf(
  said: Said,
  index: number,
  head: Version | undefined,
  lanes: Map<string, { subject: string; audience: string; ordinal: number; writtenAt: string }>,
): Version {
  const [scheme = '', path = ''] = said.uri.split('://');
  const [subject = '', topic = ''] = path.split('/');
  const audience = AUDIENCES[scheme] ?? '';
  const ordinal = (lanes.get(`${subject} ${audience}`)?.ordinal ?? 0) + 1;
  const writtenAt = `2026-12-01T09:${String(index).padStart(2, '0')}:00.000Z`;
  lanes.set(`${subject} ${audience}`, { subject, audience, ordinal, writtenAt });
  const content = {
    subject,
    topic,
    uri: said.uri,
    audience,
    version: (head?.version ?? 0) + 1,
    kind: head === undefined ? 'create' : said.value === null ? 'withdraw' : 'revise',
    laneOrdinal: ordinal,
    value: said.value,
    blob: said.blob ?? null,
    authorId: 'author-1',
    authorLabel: 'the author',
    attestation: said.attestation ?? null,
    writtenAt,
    staleAfter: said.staleAfter ?? null,
    prevHash: head?.versionHash ?? null,
    versionHash: '',
  };
  const { uri, value, attestation, blob } = content;
  const stated = { uri, value, author: '', label: '', attestation, blob };
  const salt = (part: string): string => createHash('sha256').update(`${part} ${index}`).digest('hex');
  const salts = Object.fromEntries(PARTS.map((part) => [part, stated[part] === null ? null : salt(part)]));
  const version = { ...content, salts: salts as Version['salts'] };
  const tuple = tupleOf(version);
  if (typeof tuple === 'string') throw new Error(`the sample ${tuple}`);
  return { ...version, versionHash: hashOf(tuple) };
}

function erasedOf(version: Version): Draft {
  const tuple = tupleOf(version);
  if (typeof tuple === 'string') throw new Error(`the sample ${tuple}`);
  const { subject, uri, versionHash } = version;
  return { type: 'erased', subject, uri, tuple: { ...tuple }, versionHash };
}

function auditDrafts(said: readonly Said[]): Draft[] {
  let prevHash: string | null = null;
  return said.map(({ uri }, index) => {
    const entry = {
      at: `2026-12-01T09:${String(index).padStart(2, '0')}:00.000Z`,
      actor: index === 1 ? null : 'system',
      uri,
      outcome: 'accepted',
      reason: index === 1 ? 'repeated' : null,
      via: 'hmac',
      count: 1,
      prevHash,
    };
    const hash = sha256(canonicalJson({ format: 'unsay-audit/1', ...entry }));
    prevHash = hash;
    return { type: 'audit', ...entry, hash };
  });
}
