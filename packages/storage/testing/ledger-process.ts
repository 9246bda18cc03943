// Corrects a fact and says it to a listener, over and over, until it is killed. Says `said VERSION TAKES_BACK`
// once a sentence was given and `heard VERSION TAKES_BACK` once the report of it was answered.
import { parseFactUri } from '@unsay/live-resources';
import { createListenerLedger, type Listener } from '@unsay/live-resources/ledger';
import { listener, PARTITION, sampleFact, write } from '@unsay/live-resources/testing';
import { openDatabase } from '../src/sqlite/open-database.ts';
import { ledgerOn } from './open-sqlite-ledger.ts';

const [folder = ''] = process.argv.slice(2);
const { store, ledger: kept } = await ledgerOn(openDatabase(folder));
const clock = { now: () => Date.UTC(2026, 0, 5, 9) };
const ledger = createListenerLedger({ partition: PARTITION, store, ledger: kept, clock, glossary: [] });
const phone: Listener = { id: listener('phone'), sub: 'ray-phone', clientId: 'phone-app' };
const { sub, clientId } = phone;
const principal = { sub, clientId, scopes: new Set(['read.user']), subjects: new Set(['ray']) };
const fact = sampleFact('user', 'ray', 'walk');
const uri = parseFactUri('fact://ray/walk')?.uri ?? '';

for (;;) {
  await write(store, fact);
  const said = await ledger.say(principal, phone, uri);
  if (said === null) throw new Error('a fact that is there was not said');
  const { takesBack } = said;
  const { version } = said.version;
  console.log(`said ${version} ${takesBack}`);
  await ledger.report(principal, phone, { uri, version, takesBack }, { state: 'heard', wordsHeard: null });
  console.log(`heard ${version} ${takesBack}`);
}
