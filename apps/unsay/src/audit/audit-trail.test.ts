import { type AuditEntry, createMemoryStore, instant } from '@unsay/live-resources';
import { expect, it } from 'vitest';
import { createAuditTrail } from './audit-trail.ts';

const MINUTE = Date.parse('2031-05-06T07:08:00.000Z');

function refusal(uri: string | null, millisecond: number): AuditEntry {
  const at = instant(MINUTE + millisecond);
  return { at, actor: 'writer', uri, outcome: 'refused', reason: 'not_found', via: 'bearer', count: 1 };
}

it('collapses a flood of one refusal into one counted row', async () => {
  const store = createMemoryStore();
  const trail = createAuditTrail(store, null, () => undefined);
  for (let n = 0; n < 500; n += 1) await trail.refused(refusal('care://ray/x', n), null);

  const { rows, counted } = await store.audit(0, 1000);
  const total = [...rows, ...counted].reduce((sum, { count }) => sum + count, 0);
  expect(total).toBe(500);
  expect(rows).toHaveLength(10);
});

it('collapses a flood that names another URI each time, and keeps no more of those URIs', async () => {
  const store = createMemoryStore();
  const trail = createAuditTrail(store, null, () => undefined);
  for (let n = 0; n < 500; n += 1) await trail.refused(refusal(`care://ray/x${n}`, n), null);

  const { rows, counted } = await store.audit(0, 1000);
  expect(rows).toHaveLength(100);
  expect(counted).toEqual([
    expect.objectContaining({ at: instant(MINUTE), actor: 'writer', uri: null, count: 400 }),
  ]);
});

it('does not let the flood of one writer hide what another one does', async () => {
  const store = createMemoryStore();
  const trail = createAuditTrail(store, null, () => undefined);
  for (let n = 0; n < 500; n += 1) await trail.refused(refusal(`care://ray/x${n}`, n), null);
  await trail.refused({ ...refusal('care://mia/diet', 501), actor: 'another' }, null);

  const { rows } = await store.audit(0, 1000);
  expect(rows.at(-1)).toMatchObject({ actor: 'another', uri: 'care://mia/diet' });
});
