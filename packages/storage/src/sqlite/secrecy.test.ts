import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  attempt,
  later,
  listener,
  nonceOf,
  START,
  sampleFact,
  sentenceOf,
  textOf,
  write,
} from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { ledgerOn } from '../../testing/open-sqlite-ledger.ts';
import { randomness, storeOn } from '../../testing/open-sqlite-store.ts';
import { spellingsIn } from '../../testing/spellings.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { type KeyProvider, plaintextProvider } from '../envelope/key-provider.ts';
import { createLocalKeyProvider } from '../envelope/local-key-provider.ts';
import { backUpDatabase } from './backup.ts';
import { openDatabase } from './open-database.ts';

const TOPIC = 'heliotrope-quarrel';
const CONTENT = {
  topic: TOPIC,
  uri: `fact://ray/${TOPIC}`,
  value: 'Zwölf Schritte am Geländer, marmalade xylophone.',
  author: 'author-obsidian-kestrel',
  label: 'the tangerine gondolier',
  attestation: '{"signed":"by the periwinkle notary"}',
  mediaType: 'audio/x-cinnabar',
  actor: 'actor-vermilion-otter',
  listener: 'listener-saffron-heron',
  derivedText: 'Nine steps, says the lilac barometer.',
  requestHash: 'b7e23ec29af22b0b4e41da31e868d57226121c84e7f0b1f0a4a9b0f3c1d2e3f4',
};
const BLOB = randomBytes(64);

/** Writes all of it into a store and gives every byte of the folder, while it is open and afterwards. */
async function bytesOfStore(provider: KeyProvider): Promise<Buffer> {
  using folder = temporaryFolder();
  const everything = (): Buffer[] => {
    return readdirSync(folder.path).map((name) => readFileSync(join(folder.path, name)));
  };
  const db = openDatabase(folder.path);
  const { store, ledger } = await ledgerOn(db, provider);
  const fact = sampleFact('user', 'ray', TOPIC);
  const parts = {
    value: CONTENT.value,
    authorId: CONTENT.author,
    authorLabel: CONTENT.label,
    attestation: CONTENT.attestation,
    blob: { mediaType: CONTENT.mediaType, bytes: BLOB },
  };
  const request = { id: CONTENT.actor, requestHash: CONTENT.requestHash, expiresAt: later(START, 1000) };
  const { actor, uri } = CONTENT;
  await write(store, fact, parts, { request, nonce: nonceOf('signature-1', START) });
  await write(store, fact, parts);
  await store.record(attempt(START, { actor, uri }), null);
  await store.countRefusal(attempt(START, { actor, uri }));
  await store.countRefusal(attempt(START, { actor, uri }));
  const { subject, topic } = fact;
  const id = listener(CONTENT.listener);
  const text = textOf(CONTENT.derivedText, [`${CONTENT.uri}/v1`]);
  await ledger.keep(text);
  await ledger.change(id, { subject, topics: [topic] }, () => [
    sentenceOf(id, fact),
    sentenceOf(id, fact, { text: text.id }),
  ]);
  // A copy of what another process may not read while the store is open: -wal and all. The lock is lost with
  // it, which nobody here contends for.
  const open = everything();
  backUpDatabase(db, join(folder.path, 'backup.db'));
  db.close();
  return Buffer.concat([...open, ...everything()]);
}

it('holds nothing that identifies, in any spelling, while it is open, closed and in a backup', async () => {
  const masterKey = randomBytes(32);
  const bytes = await bytesOfStore(createLocalKeyProvider(masterKey, randomness));
  for (const secret of [...Object.values(CONTENT), BLOB, masterKey]) {
    expect([secret, spellingsIn(bytes, secret)]).toEqual([secret, []]);
  }
});

it('would be found out: in plain bytes all of it is there', async () => {
  const bytes = await bytesOfStore(plaintextProvider);
  for (const secret of [...Object.values(CONTENT), BLOB]) {
    expect([secret, spellingsIn(bytes, secret)]).toEqual([secret, ['bytes']]);
  }
});

it('holds no data key: none that was drawn is there in any spelling', async () => {
  const drawn: Uint8Array[] = [];
  const recording = {
    bytes(purpose: string, _record: string, length: number) {
      const bytes = randomBytes(length);
      if (purpose === 'envelope/data-key') drawn.push(Uint8Array.from(bytes));
      return bytes;
    },
  };
  using folder = temporaryFolder();
  const db = openDatabase(folder.path);
  const provider = createLocalKeyProvider(randomBytes(32), recording);
  const store = await storeOn(db, provider, recording);
  await write(store, sampleFact('user', 'ray', TOPIC));
  db.close();
  const bytes = readFileSync(join(folder.path, 'unsay.db'));
  expect(drawn).toHaveLength(2);
  for (const key of drawn) expect(spellingsIn(bytes, key)).toEqual([]);
});
