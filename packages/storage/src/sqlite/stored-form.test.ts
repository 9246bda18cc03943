import { createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { later, nonceOf, START, sampleFact, write } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { sampleProvider, storeOn } from '../../testing/open-sqlite-store.ts';
import type { Row } from '../rows/cells.ts';
import { openDatabase } from './open-database.ts';

// docs/spec/envelope.md, written a second time: from the master key and the file alone to the words.

const MASTER = Buffer.alloc(32, 'sample master key');
type Field = string | Buffer | null;

function joined(fields: readonly Field[]): Buffer {
  const parts = fields.flatMap((field) => {
    if (field === null) return [Buffer.of(0)];
    const length = Buffer.alloc(4);
    length.writeUInt32BE(Buffer.byteLength(field));
    return [Buffer.of(1), length, Buffer.from(field as string)];
  });
  return Buffer.concat(parts);
}

function split(bytes: Buffer): (Buffer | null)[] {
  const fields: (Buffer | null)[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = bytes[at] === 0 ? at + 1 : at + 5 + bytes.readUInt32BE(at + 1);
    fields.push(bytes[at] === 0 ? null : bytes.subarray(at + 5, end));
    at = end;
  }
  return fields;
}

function derived(secret: Buffer, use: string, length = 32): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', `unsay-envelope/1 ${use}`, length));
}

function opened(secret: Buffer, additional: Buffer, row: Readonly<Record<string, Buffer>>): Buffer {
  const { nonce = Buffer.of(), tag = Buffer.of(), ciphertext = Buffer.of(), commitment } = row;
  const committed = createHmac('sha256', derived(secret, 'commit'))
    .update(nonce)
    .update(tag)
    .update(additional);
  expect(committed.digest()).toEqual(commitment);
  const decipher = createDecipheriv('aes-256-gcm', derived(secret, 'seal'), nonce);
  decipher.setAAD(additional).setAuthTag(tag);
  return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
}

const blobsOf = (row: Row): Record<string, Buffer> =>
  Object.fromEntries(
    Object.entries(row).map(([column, cell]) => [
      column,
      cell instanceof Uint8Array ? Buffer.from(cell) : Buffer.from(String(cell)),
    ]),
  );

it('every table holds what the page says, in the places that it says', async () => {
  const db = openDatabase(':memory:');
  const store = await storeOn(db, sampleProvider(MASTER));
  const request = { id: 'request-1', requestHash: 'c'.repeat(64), expiresAt: later(START, 1000) };
  const fact = sampleFact('user', 'ray', 'walking');
  const blob = { mediaType: 'audio/wav', bytes: Buffer.from('clip') };
  const version = await write(
    store,
    fact,
    { blob, attestation: '{}' },
    { request, nonce: nonceOf('n', START) },
  );
  const storeId = String(
    Buffer.from(db.prepare("SELECT value FROM meta WHERE key = 'store_id'").get()?.value as Uint8Array),
  );

  const wrapSecret = derived(MASTER, 'wrap');
  const keyId = derived(MASTER, 'master key id', 8).toString('hex');
  function dataKey(subject: string): {
    id: string;
    secret: Buffer;
    plain: (table: string, place: Field[]) => Buffer;
  } {
    const stored = db.prepare('SELECT * FROM data_keys WHERE subject = :subject').get({ subject }) ?? {};
    const id = String(stored.id);
    const [nonce, tag, commitment, ciphertext] = split(Buffer.from(stored.wrapped as Uint8Array));
    const place = joined(['unsay-envelope/1', storeId, keyId, 'data_keys', subject || null, id]);
    const parts = { nonce, tag, commitment, ciphertext } as Record<string, Buffer>;
    const secret = opened(wrapSecret, place, parts);
    return {
      id,
      secret,
      plain(table, fields) {
        const row = blobsOf(db.prepare(`SELECT * FROM ${table}`).get() ?? {});
        expect(String(row.key_id)).toBe(id);
        return opened(secret, joined(['unsay-envelope/1', storeId, id, table, ...fields]), row);
      },
    };
  }
  const index = (secret: Buffer, purpose: string, name: string): Buffer =>
    createHmac('sha256', derived(secret, 'index'))
      .update(joined([purpose, name]))
      .digest();
  const texts = (fields: (Buffer | null)[]): unknown[] => fields.map((field) => field && String(field));

  const [own, ofRay] = [dataKey(''), dataKey('ray')];
  const topic = index(ofRay.secret, 'topic', 'walking');
  const { uri, value, authorId, authorLabel, writtenAt, versionHash, salts } = version;
  const place = ['ray', topic, '1', 'user', '1', 'create', writtenAt, null, null, versionHash];
  const content = split(ofRay.plain('versions', place));
  expect(texts(content.slice(0, 8))).toEqual([
    uri,
    'walking',
    value,
    authorId,
    authorLabel,
    '{}',
    'audio/wav',
    'clip',
  ]);
  expect(content.slice(8)).toEqual(
    [salts.uri, salts.value, salts.author, salts.label, salts.attestation, salts.blob].map((salt) =>
      Buffer.from(salt ?? []),
    ),
  );
  expect(texts(split(ofRay.plain('facts', ['ray', topic, 'user'])))).toEqual([uri, 'walking']);
  const [row] = (await store.audit(0, 1)).rows;
  expect(texts(split(own.plain('audit', ['0'])))).toEqual([
    writtenAt,
    'writer-1',
    uri,
    'accepted',
    null,
    'hmac',
    '1',
    null,
    row?.hash,
  ]);
  const id = index(own.secret, 'request', request.id);
  expect(String(own.plain('answered_requests', [id, 'ray', topic, '1', request.expiresAt]))).toBe(
    request.requestHash,
  );
  db.close();
});
