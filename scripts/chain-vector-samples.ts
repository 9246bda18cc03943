/** A version as docs/spec/chain.md states it, before its salts and hashes are known. */
export interface Sample {
  readonly name: SampleName;
  /** The vector whose hash is this version's `prevHash`. */
  readonly follows: SampleName | null;
  readonly subject: string;
  readonly topic: string;
  readonly uri: string;
  readonly audience: string;
  readonly version: number;
  readonly kind: 'create' | 'revise' | 'withdraw';
  readonly laneOrdinal: number;
  readonly value: string | null;
  readonly blob: { readonly mediaType: string; readonly bytes: string } | null;
  readonly authorId: string;
  readonly authorLabel: string;
  readonly attestation: string | null;
  readonly writtenAt: string;
  readonly staleAfter: string | null;
}

export type SampleName =
  | 'first version'
  | 'revision'
  | 'withdrawal'
  | 'said again'
  | 'assistant audience'
  | 'blob'
  | 'empty blob'
  | 'attestation'
  | 'review date'
  | 'value beyond ASCII'
  | 'longest label'
  | 'everything';

const WALKING = {
  subject: 'ray',
  topic: 'walking',
  uri: 'care://ray/walking',
  audience: 'user',
  blob: null,
  authorId: 'physio-1',
  authorLabel: 'the physiotherapist',
  attestation: null,
  staleAfter: null,
} as const;

const EXERCISES = { ...WALKING, topic: 'exercises', uri: 'care://ray/exercises' } as const;

/** What the vectors are made of; each differs from the first in what its name says. */
export const SAMPLES: readonly Sample[] = [
  {
    ...WALKING,
    name: 'first version',
    follows: null,
    version: 1,
    kind: 'create',
    laneOrdinal: 1,
    value: 'Walk 5 minutes, 4 times a day.',
    writtenAt: '2026-12-01T09:14:00.000Z',
  },
  {
    ...WALKING,
    name: 'revision',
    follows: 'first version',
    version: 2,
    kind: 'revise',
    laneOrdinal: 3,
    value: 'Walk 10 minutes, 4 times a day.',
    writtenAt: '2026-12-02T08:00:00.250Z',
  },
  {
    ...WALKING,
    name: 'withdrawal',
    follows: 'revision',
    version: 3,
    kind: 'withdraw',
    laneOrdinal: 4,
    value: null,
    writtenAt: '2026-12-02T08:00:00.250Z',
  },
  {
    ...WALKING,
    name: 'said again',
    follows: 'withdrawal',
    version: 4,
    kind: 'revise',
    laneOrdinal: 5,
    value: 'Walk 5 minutes, 4 times a day.',
    writtenAt: '2026-12-03T10:30:00.000Z',
  },
  {
    ...WALKING,
    name: 'assistant audience',
    follows: null,
    topic: 'risk',
    uri: 'care-internal://ray/risk',
    audience: 'assistant',
    version: 1,
    kind: 'create',
    laneOrdinal: 1,
    value: 'Internal: risk of falling is high at night.',
    authorLabel: 'your care team',
    writtenAt: '2026-12-01T09:15:00.000Z',
  },
  {
    ...EXERCISES,
    name: 'blob',
    follows: null,
    version: 1,
    kind: 'create',
    laneOrdinal: 2,
    value: 'Ten slow heel slides, in time with the clip.',
    // Every byte once.
    blob: {
      mediaType: 'audio/wav',
      bytes: Buffer.from(Uint8Array.from({ length: 256 }, (_, at) => at)).toString('base64'),
    },
    writtenAt: '2026-12-01T09:16:00.000Z',
  },
  {
    ...EXERCISES,
    name: 'empty blob',
    follows: 'blob',
    version: 2,
    kind: 'revise',
    laneOrdinal: 6,
    value: 'Ten slow heel slides.',
    blob: { mediaType: 'application/octet-stream', bytes: '' },
    writtenAt: '2026-12-03T10:31:00.000Z',
  },
  {
    ...WALKING,
    name: 'attestation',
    follows: null,
    topic: 'wound',
    uri: 'care://ray/wound',
    version: 1,
    kind: 'create',
    laneOrdinal: 7,
    value: 'Keep the dressing dry.',
    attestation:
      '{"keyid":"nurse-key-1","nonce":"d7c1","prevHash":null,"signature":"bm90IGEgcmVhbCBvbmU","uri":"care://ray/wound","value":"Keep the dressing dry."}',
    writtenAt: '2026-12-03T11:00:00.000Z',
  },
  {
    ...WALKING,
    name: 'review date',
    follows: null,
    topic: 'injection',
    uri: 'care://ray/injection',
    version: 1,
    kind: 'create',
    laneOrdinal: 8,
    value: 'One injection every evening until 7 December.',
    writtenAt: '2026-12-03T11:01:00.000Z',
    staleAfter: '2026-12-07T00:00:00.000Z',
  },
  {
    ...WALKING,
    name: 'value beyond ASCII',
    follows: null,
    topic: 'letters',
    uri: 'care://ray/letters',
    version: 1,
    kind: 'create',
    laneOrdinal: 9,
    // Quotes, a backslash, every C0 control, DEL, C1, composed and decomposed letters, separators, astral characters.
    value:
      '“a” "b" \\ / \0\u0001\u0007\b\t\n\v\f\r\u001f\u007f\u0085 \u00e9 e\u0301 \u2028\u2029 ½ ≤ −5 °C \u202e \ufeff \uffff 🩺 👩\u200d⚕️ \u{10ffff} </script>',
    authorId: 'physio-☤',
    authorLabel: 'Żółć, 物理治療師',
    writtenAt: '2026-12-03T11:02:00.000Z',
  },
  {
    ...WALKING,
    name: 'longest label',
    follows: null,
    topic: 'label',
    uri: 'care://ray/label',
    version: 1,
    kind: 'create',
    laneOrdinal: 10,
    value: 'x',
    authorLabel: 'the ward, '.repeat(20),
    writtenAt: '2026-12-03T11:03:00.000Z',
  },
  {
    ...EXERCISES,
    name: 'everything',
    follows: 'empty blob',
    version: 3,
    kind: 'revise',
    laneOrdinal: 9_007_199_254_740_991,
    value: 'Ten slow heel slides, “slowly”.',
    blob: { mediaType: 'audio/wav; rate=4000', bytes: 'UklGRg==' },
    attestation: '{"uri":"care://ray/exercises"}',
    writtenAt: '9999-12-31T23:59:59.999Z',
    staleAfter: '9999-12-31T23:59:59.999Z',
  },
];
