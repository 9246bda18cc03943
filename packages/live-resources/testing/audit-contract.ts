import { describe, expect, it } from 'vitest';
import { type AuditRow, linkAudit, replayAudit } from '../src/audit.ts';
import { type Open, onNewStore } from './open-store.ts';
import {
  acceptance,
  appendOf,
  attempt,
  later,
  nonceOf,
  START,
  sampleFact,
  versionAfter,
  write,
} from './sample-facts.ts';
import { everythingIn } from './wholeness.ts';

const WALKING = sampleFact('user', 'ray', 'walking');
const MINUTE_MS = 60_000;

/** Every attempt leaves a row in one chained log; floods are counted by the minute. */
export function auditContract(open: Open): void {
  describe('the audit log', () => {
    it(
      'has a row for each append and each refusal, chained in their order',
      onNewStore(open, async (store) => {
        const first = await write(store, WALKING);
        const refused = attempt(later(START, 10), { uri: first.uri, reason: 'head_moved' });
        await store.record(refused, null);
        const second = await write(store, WALKING);
        const rows: AuditRow[] = [];
        for (const entry of [acceptance(first), refused, acceptance(second)]) {
          rows.push(linkAudit(entry, rows.at(-1)?.hash ?? null));
        }
        expect(await store.audit(0, 10)).toEqual({ rows, counted: [] });
      }),
    );

    it(
      'is read in pages by index',
      onNewStore(open, async (store) => {
        for (let index = 0; index < 5; index += 1) await store.record(attempt(later(START, index)), null);
        const { rows } = await store.audit(0, 10);
        expect(rows).toHaveLength(5);
        expect((await store.audit(1, 2)).rows).toEqual(rows.slice(1, 3));
        expect((await store.audit(4, 2)).rows).toEqual(rows.slice(4));
        expect((await store.audit(5, 2)).rows).toEqual([]);
      }),
    );

    it(
      'counts attempts of one minute that are equal in all but time, and no others',
      onNewStore(open, async (store) => {
        const flood = attempt(START);
        const unlike = [
          { actor: null },
          { actor: 'writer-2' },
          { uri: 'fact://ray/walking' },
          { reason: 'stale_timestamp' },
          { reason: null },
          { via: 'token' },
          { outcome: 'accepted' },
          { at: later(START, MINUTE_MS) },
        ] as const;
        for (let count = 0; count < 3; count += 1) await store.countRefusal(flood);
        for (const parts of unlike) await store.countRefusal({ ...flood, ...parts });
        await store.countRefusal(flood);
        const { rows, counted } = await store.audit(0, 10);
        expect(rows).toEqual([]);
        expect(counted).toHaveLength(1 + unlike.length);
        expect(counted).toContainEqual({ ...flood, count: 4 });
        for (const parts of unlike) expect(counted).toContainEqual({ ...flood, ...parts, count: 1 });
      }),
    );

    it(
      'turns counts of earlier minutes into rows before its next row, and keeps those of this minute',
      onNewStore(open, async (store) => {
        const nextMinute = later(START, MINUTE_MS);
        await store.countRefusal(attempt(START));
        await store.countRefusal(attempt(START));
        await store.countRefusal(attempt(nextMinute));
        const version = versionAfter({ fact: null, lane: null }, WALKING, {
          writtenAt: later(nextMinute, 5),
        });
        await store.append(appendOf(version));
        const { rows, counted } = await store.audit(0, 10);
        expect(rows.map(({ at, outcome, count }) => ({ at, outcome, count }))).toEqual([
          { at: START, outcome: 'refused', count: 2 },
          { at: version.writtenAt, outcome: 'accepted', count: 1 },
        ]);
        expect(counted).toEqual([attempt(nextMinute)]);
        await store.record(attempt(later(nextMinute, MINUTE_MS)), null);
        const after = await store.audit(0, 10);
        expect(after.counted).toEqual([]);
        expect(after.rows.slice(0, 2)).toEqual(rows);
        expect(after.rows).toHaveLength(4);
        expect(replayAudit(after.rows)).toBeNull();
      }),
    );

    it(
      'takes no free text, and an append or a refusal that brings one leaves nothing behind',
      onNewStore(open, async (store) => {
        await write(store, WALKING);
        const before = await everythingIn(store);
        const forged = attempt(later(START, 20), { reason: 'accepted\nby nobody' });
        const nonce = nonceOf('signature-1', START);
        const next = versionAfter({ fact: null, lane: null }, sampleFact('user', 'eve', 'walking'));
        await expect(store.append(appendOf(next, { audit: forged, nonce }))).rejects.toThrow();
        await expect(store.record(forged, nonce)).rejects.toThrow();
        await expect(store.countRefusal(forged)).rejects.toThrow();
        expect(await everythingIn(store)).toEqual(before);
        expect((await store.append(appendOf(next, { nonce }))).kind).toBe('appended');
        expect(replayAudit((await store.audit(0, 10)).rows)).toBeNull();
      }),
    );

    it(
      'keeps an actor to the letter',
      onNewStore(open, async (store) => {
        const actor = 'a\u0000b "\\ \u202e\u2028 \ufeff 😀';
        await store.record(attempt(START, { actor }), null);
        await store.countRefusal(attempt(START, { actor }));
        await store.countRefusal(attempt(START, { actor }));
        const { rows, counted } = await store.audit(0, 10);
        expect(rows.map((row) => row.actor)).toEqual([actor]);
        expect(counted).toEqual([attempt(START, { actor, count: 2 })]);
        expect(replayAudit(rows)).toBeNull();
      }),
    );
  });
}
