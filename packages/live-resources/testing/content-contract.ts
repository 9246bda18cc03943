import { describe, expect, it } from 'vitest';
import { replayChain } from '../src/chain.ts';
import { type Open, onNewStore } from './open-store.ts';
import { later, START, sampleFact, write } from './sample-facts.ts';

const WALKING = sampleFact('user', 'ray', 'walking');

/** Texts that a store, a driver or a collation likes to change. */
export const HOSTILE_TEXTS: readonly string[] = [
  '\u0000',
  'before\u0000after',
  '\n',
  'one\r\ntwo\rthree\n',
  '\u202eright to left\u202c \u2066isolated\u2069',
  'family 👨‍👩‍👧‍👦 flag 🏴󠁧󠁢󠁳󠁣󠁴󠁿',
  'é e\u0301 Å \u212b ﬁ',
  '\ufeffbyte order mark',
  '\ufffd\uffff\u{10ffff}',
  ' leading and trailing \t',
  "'); DROP TABLE facts; --",
  '{"json": "\\u0000"}',
  `a${'\u0301'.repeat(128 * 1024)}`,
];

/** What was written is what is read, to the byte. */
export function contentContract(open: Open): void {
  describe('content', () => {
    it(
      'comes back to the byte, in values and in names',
      onNewStore(open, async (store) => {
        const written = [];
        for (const text of HOSTILE_TEXTS) {
          written.push(
            await write(store, WALKING, {
              value: text,
              authorId: text,
              authorLabel: text,
              attestation: text,
            }),
          );
        }
        const { head, versions } = await store.chain(WALKING);
        expect(versions).toEqual(written);
        expect(replayChain(versions, head)).toEqual({ intact: true });
        for (const version of written) expect(await store.version(WALKING, version.version)).toEqual(version);
      }),
    );

    it(
      'keeps what is absent apart from what is empty',
      onNewStore(open, async (store) => {
        const full = {
          value: '',
          authorId: '',
          authorLabel: '',
          attestation: '',
          blob: { mediaType: '', bytes: new Uint8Array() },
        };
        const written = [
          await write(store, WALKING, full),
          await write(store, WALKING, { value: null, attestation: null, blob: null }),
          await write(store, WALKING, { staleAfter: later(START, 1) }),
        ];
        const { head, versions } = await store.chain(WALKING);
        expect(versions).toEqual(written);
        expect(replayChain(versions, head)).toEqual({ intact: true });
      }),
    );

    it(
      'keeps a clip of every byte',
      onNewStore(open, async (store) => {
        const bytes = Uint8Array.from({ length: 128 * 1024 }, (_, index) => index % 256);
        const blob = { mediaType: 'audio/wav', bytes };
        await write(store, WALKING, { blob });
        const read = await store.version(WALKING, null);
        expect(read?.blob?.mediaType).toBe('audio/wav');
        expect(Buffer.from(read?.blob?.bytes ?? []).equals(bytes)).toBe(true);
      }),
    );
  });
}
