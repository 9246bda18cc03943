import { createCipheriv, createDecipheriv, createHmac, hkdfSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { randomness } from '../../testing/open-sqlite-store.ts';
import { decodeFields, encodeFields } from './fields.ts';
import { createLocalKeyProvider } from './local-key-provider.ts';
import type { Place } from './record-key.ts';
import { createSealingKey, ENVELOPE_FORMAT } from './sealing-key.ts';

/** docs/spec/vectors/envelope.json. Bytes are hex; a field that is not text is `{ hex }`. */
interface Vectors {
  readonly format: string;
  readonly fields: readonly { readonly fields: readonly VectorField[]; readonly bytes: string }[];
  readonly storeId: string;
  readonly master: Readonly<Record<'key' | 'keyId' | 'wrapSecret', string>>;
  readonly dataKey: Readonly<
    Record<'id' | 'subject' | 'key' | 'sealKey' | 'commitKey' | 'indexKey' | 'commitment' | 'wrapped', string>
  >;
  readonly indexes: readonly {
    readonly purpose: string;
    readonly name: VectorField;
    readonly index: string;
  }[];
  readonly records: readonly RecordVector[];
}

type VectorField = string | null | { readonly hex: string };

interface RecordVector extends Readonly<Record<'plain' | 'additionalData' | Part, string>> {
  readonly name: string;
  readonly place: readonly [string, ...VectorField[]];
  readonly content: readonly VectorField[];
}

type Part = 'nonce' | 'tag' | 'commitment' | 'ciphertext';

const FILE = join(import.meta.dirname, '../../../../docs/spec/vectors/envelope.json');
const { format, fields, storeId, master, dataKey, indexes, records } = JSON.parse(
  readFileSync(FILE, 'utf8'),
) as Vectors;

const bytes = (hex: string): Buffer => Buffer.from(hex, 'hex');
const fieldOf = (field: VectorField): string | Buffer | null =>
  field !== null && typeof field === 'object' ? bytes(field.hex) : field;

// What follows shares nothing with the code that is checked: it is written from the page.

function joined(sequence: readonly VectorField[]): Buffer {
  return Buffer.concat(
    sequence.map(fieldOf).map((field) => {
      if (field === null) return Buffer.of(0);
      const content = Buffer.from(field as string);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(content.length);
      return Buffer.concat([Buffer.of(1), length, content]);
    }),
  );
}

function derived(secret: string, use: string, length = 32): string {
  return Buffer.from(hkdfSync('sha256', bytes(secret), '', `unsay-envelope/1 ${use}`, length)).toString(
    'hex',
  );
}

function sealed(keys: { seal: string; commit: string }, nonce: Buffer, additional: Buffer, plain: Buffer) {
  const cipher = createCipheriv('aes-256-gcm', bytes(keys.seal), nonce);
  cipher.setAAD(additional);
  const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
  const tag = cipher.getAuthTag();
  const commitment = createHmac('sha256', bytes(keys.commit))
    .update(Buffer.concat([nonce, tag, additional]))
    .digest();
  return { nonce, tag, commitment, ciphertext };
}

function index(purpose: string, name: VectorField): string {
  return createHmac('sha256', bytes(dataKey.indexKey))
    .update(joined([purpose, name]))
    .digest('hex');
}

it('the vectors are of the format that is sealed, and there are some', () => {
  expect(format).toBe(ENVELOPE_FORMAT);
  expect(records.length).toBeGreaterThanOrEqual(8);
});

it('fields are joined as the page says', () => {
  for (const vector of fields) {
    expect(joined(vector.fields).toString('hex')).toBe(vector.bytes);
    expect(Buffer.from(encodeFields(vector.fields.map(fieldOf))).toString('hex')).toBe(vector.bytes);
  }
});

it('keys are derived as the page says', () => {
  expect(derived(master.key, 'master key id', 8)).toBe(master.keyId);
  expect(derived(master.key, 'wrap')).toBe(master.wrapSecret);
  expect(derived(dataKey.key, 'seal')).toBe(dataKey.sealKey);
  expect(derived(dataKey.key, 'commit')).toBe(dataKey.commitKey);
  expect(derived(dataKey.key, 'index')).toBe(dataKey.indexKey);
  expect(index('data key', dataKey.id)).toBe(dataKey.commitment);
});

it('the data key is wrapped as the page says', async () => {
  const [nonce, tag, commitment, ciphertext] = decodeFields(bytes(dataKey.wrapped), 4) ?? [];
  const keys = { seal: derived(master.wrapSecret, 'seal'), commit: derived(master.wrapSecret, 'commit') };
  const additional = joined([format, storeId, master.keyId, 'data_keys', dataKey.subject, dataKey.id]);
  const again = sealed(keys, Buffer.from(nonce ?? []), additional, bytes(dataKey.key));
  expect([again.tag, again.commitment, again.ciphertext].map((part) => part.toString('hex'))).toEqual(
    [tag, commitment, ciphertext].map((part) => Buffer.from(part ?? []).toString('hex')),
  );
  const provider = createLocalKeyProvider(bytes(master.key), randomness);
  const context = { storeId, subject: dataKey.subject, dataKeyId: dataKey.id };
  expect(await provider.unwrap(bytes(dataKey.wrapped), context)).toEqual(bytes(dataKey.key));
});

it.each(indexes)('the index of $purpose $name is as the page says', (vector) => {
  expect(index(vector.purpose, vector.name)).toBe(vector.index);
  const key = createSealingKey(bytes(dataKey.key), { id: dataKey.id, storeId }, randomness);
  const name = fieldOf(vector.name) ?? '';
  expect(Buffer.from(key.index(vector.purpose, name)).toString('hex')).toBe(vector.index);
});

describe.each(records)('record "$name"', (record) => {
  const { place, content, plain, additionalData } = record;
  const keys = { seal: dataKey.sealKey, commit: dataKey.commitKey };

  it('is sealed as the page says', () => {
    expect(joined(content).toString('hex')).toBe(plain);
    expect(joined([format, storeId, dataKey.id, ...place]).toString('hex')).toBe(additionalData);
    const again = sealed(keys, bytes(record.nonce), bytes(additionalData), bytes(plain));
    for (const part of ['tag', 'commitment', 'ciphertext'] as const) {
      expect(again[part].toString('hex')).toBe(record[part]);
    }
    const decipher = createDecipheriv('aes-256-gcm', bytes(dataKey.sealKey), bytes(record.nonce));
    decipher.setAAD(bytes(additionalData)).setAuthTag(bytes(record.tag));
    const opened = Buffer.concat([decipher.update(bytes(record.ciphertext)), decipher.final()]);
    expect(opened.toString('hex')).toBe(plain);
  });

  it('opens in its place, and in no other record’s', () => {
    const key = createSealingKey(bytes(dataKey.key), { id: dataKey.id, storeId }, randomness);
    const { nonce, tag, commitment, ciphertext } = record;
    const stored = {
      keyId: dataKey.id,
      nonce: bytes(nonce),
      tag: bytes(tag),
      commitment: bytes(commitment),
      ciphertext: bytes(ciphertext),
    };
    for (const other of records) {
      const [table, ...rest] = other.place;
      const at: Place = [table, ...rest.map(fieldOf)];
      expect(key.open(at, stored)).toEqual(other === record ? bytes(plain) : null);
    }
  });
});
