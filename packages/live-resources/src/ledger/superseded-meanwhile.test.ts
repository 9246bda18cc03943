import { expect, it } from 'vitest';
import { listener } from '../../testing/ledger-contract.ts';
import { createLiveScene, principalOf } from '../../testing/live-scene.ts';
import type { LedgerStore } from './ledger-store.ts';
import { createListenerLedger } from './listener-ledger.ts';
import { createMemoryLedgerStore } from './memory-ledger-store.ts';

const WALK = 'fact://ray/walk';

it('never says that old words still hold when they were corrected while the sentence was made', async () => {
  const scene = createLiveScene();
  const { partition, store } = scene.live;
  const kept = createMemoryLedgerStore();
  let meanwhile = async (): Promise<unknown> => undefined;
  const ledgerStore: LedgerStore = {
    ...kept,
    async standing(...asked) {
      await meanwhile();
      return kept.standing(...asked);
    },
  };
  const ledger = createListenerLedger({
    partition,
    store,
    ledger: ledgerStore,
    clock: scene.clock,
    glossary: [],
  });
  const principal = principalOf(['read.user'], ['ray'], { sub: 'ray-phone', clientId: 'phone-app' });
  const phone = { id: listener('phone'), sub: 'ray-phone', clientId: 'phone-app' };
  await scene.write(WALK, 'Walk ten steps.');
  await ledger.say(principal, phone, WALK);
  meanwhile = async () => {
    meanwhile = async () => undefined;
    await scene.write(WALK, 'Walk five steps.');
  };

  const said = await ledger.say(principal, phone, WALK);
  expect(said?.text).not.toContain('This still holds');
  expect(said?.takesBack).not.toBe(said?.version.version);
});
