import { timingSafeEqual } from 'node:crypto';
import { type Clock, instant, type Randomness } from '@unsay/live-resources';
import { type KeyProvider, plaintextProvider } from '../envelope/key-provider.ts';
import { createPlainKey } from '../envelope/plain-key.ts';
import { createRecentlyUsed } from '../envelope/recently-used.ts';
import type { RecordKey } from '../envelope/record-key.ts';
import { createSealingKey, KEY_LENGTH } from '../envelope/sealing-key.ts';
import { StorageError } from '../storage-error.ts';
import { createDataKeys, type DataKeys, STORE_ITSELF, type StoredDataKey } from './data-keys.ts';
import type { SqliteDatabase } from './database.ts';
import { refusal } from './sqlite-errors.ts';
import { readStoreId, writeStoreId } from './store-id.ts';

/** A key to write with. */
export interface WritingKey {
  readonly key: RecordKey;
  /** What must be stored with the first record that the key seals, or null when it is. */
  readonly unsaved: StoredDataKey | null;
}

/** The opened data keys of a store. They are unwrapped once, so that transactions never wait for a provider. */
export interface KeyRing {
  readonly provider: string;
  /** The provider's key. */
  readonly keyId: string;
  /** Seals what belongs to no subject. */
  readonly store: RecordKey;
  /**
   * The key of a subject, or null when nothing was ever sealed for it.
   *
   * @throws StorageError `damaged` when something was, and its key does not open.
   */
  of(subject: string): Promise<RecordKey | null>;
  /** {@link of}, or a new key. Whoever asks before the new one is saved is given the same. */
  forWriting(subject: string): Promise<WritingKey>;
  /** Says that the write with a new key ended, and whether it was saved. */
  settle(subject: string, written: WritingKey, saved: boolean): void;
}

/** What a key ring needs. */
export interface KeyRingParts {
  readonly provider: KeyProvider;
  readonly randomness: Randomness;
  readonly clock: Clock;
}

// About a kilobyte each.
const MOST_SUBJECTS = 10_000;
const ID_LENGTH = 8;

/**
 * Opens the keys of a store, and makes the store's own in an empty one.
 *
 * @throws StorageError `wrong_key` when the store was made with another provider or another key of it, and
 *   `damaged` when its own key does not open. Nothing was written then.
 */
export async function openKeyRing(db: SqliteDatabase, parts: KeyRingParts): Promise<KeyRing> {
  const { provider } = parts;
  const table = createDataKeys(db);
  const stored = db.read(() => table.find(STORE_ITSELF));
  if (stored !== null) assertSameProvider(db, stored, provider);
  const storeId = db.read(() => readStoreId(db)) ?? (await begin(db, table, parts));
  const opener = createOpener(db, storeId, parts);
  const own = db.read(() => table.find(STORE_ITSELF));
  if (own === null) throw refusal('damaged', db.file);
  const store = await opener.open(own);
  return { provider: provider.id, keyId: provider.keyId, store, ...subjectKeys(db, table, opener) };
}

function assertSameProvider(db: SqliteDatabase, stored: StoredDataKey, provider: KeyProvider): void {
  assertProvider(db, stored, provider.id);
  if (stored.wrappingKeyId === provider.keyId) return;
  throw new StorageError(
    'wrong_key',
    `The store ${db.file} is sealed by the key ${stored.wrappingKeyId}, and this start has the key ${provider.keyId}. ` +
      'Start with the key that it was made with, or choose another data folder.',
  );
}

function assertProvider(db: SqliteDatabase, stored: StoredDataKey, id: string): void {
  if (stored.provider === id) return;
  throw new StorageError(
    'wrong_key',
    `The store ${db.file} was made with the key provider ${stored.provider}, and this start names ${id}. ` +
      'Start with the provider that it was made with, or choose another data folder.',
  );
}

/**
 * Whether a store is yet to be given its keys. To be asked before a key is made for it.
 *
 * @throws StorageError `wrong_key` when it was made with another provider than the one of this id.
 */
export function awaitsKeys(db: SqliteDatabase, providerId: string): boolean {
  const stored = db.read(() => createDataKeys(db).find(STORE_ITSELF));
  if (stored !== null) assertProvider(db, stored, providerId);
  return stored === null;
}

async function begin(db: SqliteDatabase, table: DataKeys, parts: KeyRingParts): Promise<string> {
  // Records without a key, or a key without the name it is bound to: one was taken away. A new one would hide that.
  const isNew = db.read(() => table.find(STORE_ITSELF) === null && !table.hasRecords(STORE_ITSELF));
  if (!isNew) throw refusal('damaged', db.file);
  const storeId = hex(parts.randomness.bytes('envelope/store-id', 'store', ID_LENGTH * 2));
  const { unsaved } = await createOpener(db, storeId, parts).make(STORE_ITSELF);
  db.write(() => {
    writeStoreId(db, storeId);
    table.insert(unsaved, instant(parts.clock.now()));
  });
  return storeId;
}

interface Opener {
  open(stored: StoredDataKey): Promise<RecordKey>;
  make(subject: string): Promise<WritingKey & { readonly unsaved: StoredDataKey }>;
}

function createOpener(db: SqliteDatabase, storeId: string, { provider, randomness }: KeyRingParts): Opener {
  const contextOf = (subject: string, dataKeyId: string) => ({
    storeId,
    subject: subject === STORE_ITSELF ? null : subject,
    dataKeyId,
  });
  const keyOf = (secret: Uint8Array, id: string): RecordKey =>
    provider.id === plaintextProvider.id
      ? createPlainKey(id)
      : createSealingKey(secret, { id, storeId }, randomness);
  const commitmentOf = (key: RecordKey): Uint8Array => key.index('data key', key.id);

  return {
    async open(stored) {
      const { subject, id, wrapped, commitment } = stored;
      const ours = stored.provider === provider.id && stored.wrappingKeyId === provider.keyId;
      const secret = ours ? await provider.unwrap(wrapped, contextOf(subject, id)) : null;
      if (secret === null) throw refusal('damaged', db.file);
      const key = keyOf(secret, id);
      secret.fill(0);
      const expected = commitmentOf(key);
      if (commitment.length !== expected.length || !timingSafeEqual(commitment, expected)) {
        throw refusal('damaged', db.file);
      }
      return key;
    },
    async make(subject) {
      const secret = randomness.bytes('envelope/data-key', subject, KEY_LENGTH);
      const id = hex(randomness.bytes('envelope/data-key-id', subject, ID_LENGTH));
      const wrapped = await provider.wrap(secret, contextOf(subject, id));
      const key = keyOf(secret, id);
      secret.fill(0);
      const { id: providerId, keyId } = provider;
      const commitment = commitmentOf(key);
      const unsaved = { subject, id, provider: providerId, wrappingKeyId: keyId, wrapped, commitment };
      return { key, unsaved };
    },
  };
}

function subjectKeys(
  db: SqliteDatabase,
  table: DataKeys,
  opener: Opener,
): Pick<KeyRing, 'of' | 'forWriting' | 'settle'> {
  const opened = createRecentlyUsed<Promise<RecordKey>>(MOST_SUBJECTS);
  const made = new Map<string, Promise<WritingKey>>();

  async function of(subject: string): Promise<RecordKey | null> {
    const known = opened.get(subject);
    if (known !== undefined) return known;
    const stored = db.read(() => table.find(subject));
    if (stored === null) {
      if (db.read(() => table.hasRecords(subject))) throw refusal('damaged', db.file);
      return null;
    }
    const opening = opener.open(stored);
    opened.set(subject, opening);
    // A provider that could not be reached is asked again.
    opening.catch(() => opened.delete(subject));
    return opening;
  }

  return {
    of,
    async forWriting(subject) {
      const key = await of(subject);
      if (key !== null) return { key, unsaved: null };
      const making = made.get(subject) ?? opener.make(subject);
      made.set(subject, making);
      making.catch(() => made.delete(subject));
      return making;
    },
    settle(subject, { key, unsaved }, saved) {
      if (unsaved === null) return;
      made.delete(subject);
      if (saved) opened.set(subject, Promise.resolve(key));
    },
  };
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
