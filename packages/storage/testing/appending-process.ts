// Writes into the folder it is given until it is killed: versions over two lanes and several facts, with
// nonces, refusals and counts between them. Says `URI/vN HASH` once a version was answered, and `nonce ID`
// once a refusal was.
import { definePartition, instant, parseDraft, publish, seededRandomness } from '@unsay/live-resources';

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
const publisher = {
  partition: PARTITION,
  store,
  clock: { now: () => now },
  randomness: seededRandomness('appending process'),
  defaultAuthorLabel: 'your care team',
};

for (let count = 0; ; count += 1) {
  now += 7_000;
  const nonce = { id: `run ${run} signature ${count}`, expiresAt: instant(now + 300_000) };
  const uri = URIS[count % URIS.length] ?? '';
  const value = `said in run ${run}, ${count} `.repeat(1 + (count % 50));
  const draft = parseDraft(PARTITION, {
    uri,
    value,
    authorId: 'author-1',
    authorLabel: null,
    staleAfter: null,
  });
  if (typeof draft === 'string') throw new Error(`malformed ${draft}`);
  const outcome = await publish(publisher, PRINCIPAL, {
    draft,
    ifMatch: null,
    request: null,
    nonce,
    via: 'hmac',
    quiet: false,
  });
  if (outcome.kind !== 'published') throw new Error(outcome.kind);
  console.log(`${uri}/v${outcome.version.version} ${outcome.version.versionHash}`);
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
  const used = { ...nonce, id: `${nonce.id} refused` };
  await store.record({ ...refusal, reason: 'stale_timestamp' }, used);
  console.log(`nonce ${used.id}`);
}
