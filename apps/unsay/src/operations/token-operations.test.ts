import { afterEach, expect, it, vi } from 'vitest';
import { type Asker, mcpRequest } from '../../testing/non-interference/asker.ts';
import { openMemory } from '../../testing/non-interference/engine.ts';
import { startWorld } from '../../testing/non-interference/world.ts';
import { SCOPES } from '../domain/care-partition.ts';

afterEach(() => vi.useRealTimers());

it('a revocation ends the streams of the token by itself: no timer has to come round', async () => {
  // From here on no interval ever fires.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const world = await startWorld(openMemory, null);
  const grant = { clientId: 'one', scopes: [SCOPES.readUser], subjects: ['ray'], ttlSeconds: 3600 };
  const tokens = await Promise.all(['phone', 'witness'].map((sub) => world.mint({ ...grant, sub })));
  for (const token of tokens) {
    const kept = { session: null, listCursor: null, changesCursor: null, lastEvent: null };
    const asker: Asker = { world, token, kept, streams: [] };
    const notifications = { resourcesListChanged: true };
    await world.wire.open(mcpRequest(asker, 'modern', 'subscriptions/listen', { notifications }));
  }
  expect(world.context.hub.counters).toMatchObject({ open: 2, expired: 0 });
  await world.revoke(tokens[0] ?? '');
  expect(world.context.hub.counters).toMatchObject({ open: 1, expired: 1 });
  await world.close();
});
