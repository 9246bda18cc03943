import { timingSafeEqual } from 'node:crypto';
import { type Clock, instant, type Randomness } from '@unsay/live-resources';
import { type KeyProvider, plaintextProvider } from '../envelope/key-provider.ts';
import { createPlainKey } from '../envelope/plain-key.ts';
import { createRecentlyUsed } from '../envelope/recently-used.ts';
import type { RecordKey } from '../envelope/record-key.ts';
import { createSealingKey, KEY_LENGTH } from '../envelope/sealing-key.ts';
import { STORE_ITSELF, type StoredDataKey } from '../rows/data-key-rows.ts';
import { StorageError } from '../storage-error.ts';
import type { Tables } from '../stores/tables.ts';
import { createKeyTable, type KeyTable } from './key-table.ts';

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
export async function openKeyRing(db: Tables, parts: KeyRingParts): Promise<KeyRing> {
  const { provider } = parts;
  const table = createKeyTable(db);
  const stored = await table.find(STORE_ITSELF);
  if (stored !== null) assertSameProvider(db, stored, provider);
  if ((await table.storeId()) === null) await begin(db, table, parts);
  // As they stand there: of two processes that opened an empty store at once, one has made them.
  const [storeId, own] = [await table.storeId(), await table.find(STORE_ITSELF)];
  if (storeId === null || own === null) throw db.damaged();
  assertSameProvider(db, own, provider);
  const opener = createOpener(db, storeId, parts);
  const store = await opener.open(own);
  return { provider: provider.id, keyId: provider.keyId, store, ...subjectKeys(table, opener) };
}

function assertSameProvider(db: Tables, stored: StoredDataKey, provider: KeyProvider): void {
  assertProvider(db, stored, provider.id);
  if (stored.wrappingKeyId === provider.keyId) return;
  throw new StorageError(
    'wrong_key',
    `The store ${db.name} is sealed by the key ${stored.wrappingKeyId}, and this start has the key ${provider.keyId}. ` +
      `Start with the key that it was made with, or choose ${db.another}.`,
  );
}

function assertProvider(db: Tables, stored: StoredDataKey, id: string): void {
  if (stored.provider === id) return;
  throw new StorageError(
    'wrong_key',
    `The store ${db.name} was made with the key provider ${stored.provider}, and this start names ${id}. ` +
      `Start with the provider that it was made with, or choose ${db.another}.`,
  );
}

/**
 * Whether a store is yet to be given its keys. To be asked before a key is made for it.
 *
 * @throws StorageError `wrong_key` when it was made with another provider than the one of this id.
 */
export async function awaitsKeys(db: Tables, providerId: string): Promise<boolean> {
  const stored = await createKeyTable(db).find(STORE_ITSELF);
  if (stored !== null) assertProvider(db, stored, providerId);
  return stored === null;
}

async function begin(db: Tables, table: KeyTable, parts: KeyRingParts): Promise<void> {
  // A key without the name that it is bound to: that was taken away. A new one would hide it.
  if ((await table.find(STORE_ITSELF)) !== null && (await table.storeId()) === null) throw db.damaged();
  const storeId = hex(parts.randomness.bytes('envelope/store-id', 'store', ID_LENGTH * 2));
  const { unsaved } = await createOpener(db, storeId, parts).make(STORE_ITSELF);
  await table.begin(storeId, unsaved, instant(parts.clock.now()));
}

interface Opener {
  open(stored: StoredDataKey): Promise<RecordKey>;
  make(subject: string): Promise<WritingKey & { readonly unsaved: StoredDataKey }>;
}

function createOpener(db: Tables, storeId: string, { provider, randomness }: KeyRingParts): Opener {
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
      if (secret === null) throw db.damaged();
      const key = keyOf(secret, id);
      secret.fill(0);
      const expected = commitmentOf(key);
      if (commitment.length !== expected.length || !timingSafeEqual(commitment, expected)) {
        throw db.damaged();
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

function subjectKeys(table: KeyTable, opener: Opener): Pick<KeyRing, 'of' | 'forWriting' | 'settle'> {
  const opened = createRecentlyUsed<Promise<RecordKey | null>>(MOST_SUBJECTS);
  const made = new Map<string, Promise<WritingKey>>();

  async function load(subject: string): Promise<RecordKey | null> {
    const stored = await table.find(subject);
    return stored && opener.open(stored);
  }

  async function of(subject: string): Promise<RecordKey | null> {
    const known = opened.get(subject);
    if (known !== undefined) return known;
    const opening = load(subject);
    opened.set(subject, opening);
    const forget = (): void => {
      if (opened.get(subject) === opening) opened.delete(subject);
    };
    // One that is not there may be made, and a provider that could not be reached is asked again.
    opening.then((key) => key ?? forget(), forget);
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
