import { expect, it } from 'vitest';
import { listener } from '../../testing/ledger-contract.ts';
import { createLiveScene, principalOf } from '../../testing/live-scene.ts';
import { createListenerLedger } from './listener-ledger.ts';
import { createMemoryLedgerStore } from './memory-ledger-store.ts';

const WALK = 'fact://ray/walk';

it('does not take back what was given again after the retraction whose report comes late', async () => {
  const scene = createLiveScene();
  const { partition, store } = scene.live;
  const ledger = createListenerLedger({
    partition,
    store,
    ledger: createMemoryLedgerStore(),
    clock: scene.clock,
    glossary: [],
  });
  const principal = principalOf(['read.user'], ['ray'], { sub: 'ray-phone', clientId: 'phone-app' });
  const phone = { id: listener('phone'), sub: 'ray-phone', clientId: 'phone-app' };
  const heard = { state: 'heard', wordsHeard: null } as const;
  await scene.write(WALK, 'Walk ten steps.');
  await ledger.say(principal, phone, WALK);
  await ledger.report(principal, phone, { uri: WALK, version: 1, takesBack: null }, heard);
  await scene.write(WALK, 'Walk five steps.');
  await ledger.say(principal, phone, WALK);
  scene.clock.advance(60_000);
  await ledger.read(principal, phone, `${WALK}/v1`);
  const owed = await ledger.report(principal, phone, { uri: WALK, version: 2, takesBack: 1 }, heard);
  expect(owed).toBe(1);
});
