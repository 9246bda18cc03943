// Writes into the folder it is given until it is killed: versions over two lanes and several facts, with
// nonces, refusals and counts between them. Says `URI/vN HASH` once a version was answered, and `nonce ID`
// once a refusal was.
import {
  createCursorCodec,
  createLiveResources,
  definePartition,
  instant,
  parseDraft,
  seededRandomness,
} from '@unsay/live-resources';

import { openDatabase } from '../src/sqlite/open-database.ts';
import { storeOn } from './open-sqlite-store.ts';

const PARTITION = definePartition({
  audiences: [
    { audience: 'user', scheme: 'fact', readScope: 'read.user', speakable: true },
    { audience: 'assistant', scheme: 'fact-internal', readScope: 'read.assistant', speakable: false },
  ],
  writeScope: 'write',
});
const PRINCIPAL = {
  sub: 'writer-1',
  clientId: 'client-1',
  scopes: new Set(['read.user', 'read.assistant', 'write']),
  subjects: '*',
} as const;
const URIS = ['fact://ray/walking', 'fact-internal://ray/risk', 'fact://ray/stairs', 'fact://eve/walking'];

const [folder = '', run = ''] = process.argv.slice(2);
const store = await storeOn(openDatabase(folder));
let now = Date.UTC(2026, 0, 5, 9);
const live = createLiveResources({
  partition: PARTITION,
  store,
  clock: { now: () => now },
  randomness: seededRandomness('appending process'),
  cursors: createCursorCodec(new Uint8Array(32)),
  defaultAuthorLabel: 'your care team',
});

async function write(uri: string, count: number): Promise<void> {
  const nonce = { id: `run ${run} signature ${count} ${uri}`, expiresAt: instant(now + 300_000) };
  const value = `said in run ${run}, ${count} `.repeat(1 + (count % 50));
  const draft = parseDraft(PARTITION, {
    uri,
    value,
    authorId: 'author-1',
    authorLabel: null,
    staleAfter: null,
  });
  if (typeof draft === 'string') throw new Error(`malformed ${draft}`);
  const outcome = await live.publish(PRINCIPAL, {
    draft,
    ifMatch: null,
    request: null,
    nonce,
    via: 'hmac',
    quiet: false,
  });
  if (outcome.kind !== 'published') throw new Error(outcome.kind);
  console.log(`${uri}/v${outcome.version.version} ${outcome.version.versionHash}`);
}

for (let count = 0; ; count += 1) {
  now += 7_000;
  // One writer in one turn, then several, who share a transaction.
  await Promise.all(URIS.slice(0, 1 + (count % URIS.length)).map((uri) => write(uri, count)));
  const refusal = {
    at: instant(now),
    actor: null,
    uri: null,
    outcome: 'refused',
    via: 'hmac',
    count: 1,
  } as const;
  await store.countRefusal({ ...refusal, at: instant(now - (now % 60_000)), reason: 'bad_signature' });
  if (count % 3 !== 0) continue;
  const used = { id: `run ${run} signature ${count} refused`, expiresAt: instant(now + 300_000) };
  await store.record({ ...refusal, reason: 'stale_timestamp' }, used);
  console.log(`nonce ${used.id}`);
}
