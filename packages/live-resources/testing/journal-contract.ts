import { describe, expect, it } from 'vitest';
import { BEGINNING, type JournalEntry, type Position } from '../src/journal.ts';
import { type Open, onNewStore } from './open-store.ts';
import { sampleFact, sampleLane, write } from './sample-facts.ts';

const WALKING = sampleFact('user', 'ray', 'walking');
const RISK = sampleFact('assistant', 'ray', 'risk');

/** Positions grow by one in the order of appends, and are never filled in behind a reader. */
export function journalContract(open: Open): void {
  describe('the journal', () => {
    it(
      'begins empty',
      onNewStore(open, async (store) => {
        expect(await store.journalHead()).toBe(BEGINNING);
        expect(await store.journal(BEGINNING, 10)).toEqual([]);
      }),
    );

    it(
      'has one entry for each version, in the order of appends, and says which are quiet',
      onNewStore(open, async (store) => {
        const versions = [
          await write(store, WALKING, {}, { quiet: true }),
          await write(store, RISK),
          await write(store, WALKING, { value: null }),
        ];
        const entries = versions.map(({ uri, subject, audience, version, kind, writtenAt }, index) => ({
          position: index + 1,
          uri,
          subject,
          audience,
          version,
          kind,
          writtenAt,
          quiet: index === 0,
        }));
        expect(await store.journal(BEGINNING, 10)).toEqual(entries);
        expect(await store.journalHead()).toBe(3);
      }),
    );

    it(
      'resumes after any position, in pages',
      onNewStore(open, async (store) => {
        for (let count = 0; count < 7; count += 1) await write(store, WALKING);
        const all = await store.journal(BEGINNING, 100);
        for (const [index, { position }] of all.entries()) {
          expect(await store.journal(position, 3)).toEqual(all.slice(index + 1, index + 4));
        }
      }),
    );

    it(
      'is known lane by lane, in pages, with the place of each entry',
      onNewStore(open, async (store) => {
        const lanes = [
          WALKING,
          RISK,
          sampleFact('user', 'kim', 'walking'),
          sampleFact('user', 'ray', 'bath'),
        ];
        for (let count = 0; count < 12; count += 1) await write(store, lanes[(count * 7) % 4] ?? WALKING);
        const all = await store.journal(BEGINNING, 100);
        for (const fact of lanes) {
          const lane = sampleLane(fact);
          const own = all.filter(
            ({ subject, audience }) => subject === lane.subject && audience === lane.audience,
          );
          expect(own.length).toBeGreaterThanOrEqual(3);
          for (const after of own.keys()) {
            expect(await store.laneEntries(lane, after, 2)).toEqual(own.slice(after, after + 2));
            expect(await store.positionOf(lane, after + 1)).toBe(own[after]?.position);
          }
          expect(await store.laneEntries(lane, own.length, 2)).toEqual([]);
          expect(await store.positionOf(lane, own.length + 1)).toBeNull();
          expect(await store.positionOf(lane, 0)).toBeNull();
        }
        const nobody = sampleLane(sampleFact('assistant', 'nobody', 'x'));
        expect(await store.laneEntries(nobody, 0, 2)).toEqual([]);
        expect(await store.positionOf(nobody, 1)).toBeNull();
      }),
    );

    it(
      'shows a reader beside the writers no gap, and every version that an entry names',
      onNewStore(open, async (store) => {
        const total = 20;
        const seen: JournalEntry[] = [];
        let ended = false;
        async function writing(): Promise<void> {
          for (let count = 0; count < total; count += 1) await write(store, count % 2 === 0 ? WALKING : RISK);
        }
        async function reading(): Promise<void> {
          for (let last = false; !last; ) {
            last = ended;
            // A store may wait for the end of this turn to write what came in it.
            await new Promise((resolve) => setImmediate(resolve));
            for (const entry of await store.journal(seen.length as Position, 4)) {
              seen.push(entry);
              const fact = entry.audience === 'user' ? WALKING : RISK;
              const version = await store.version(fact, entry.version);
              expect(version?.uri).toBe(entry.uri);
              const { lane } = await store.heads(fact, entry);
              expect(lane?.ordinal).toBeGreaterThanOrEqual(version?.laneOrdinal ?? total);
            }
          }
        }
        await Promise.all([
          writing().finally(() => {
            ended = true;
          }),
          reading(),
        ]);
        const rest = await store.journal(seen.length as Position, total);
        const positions = [...seen, ...rest].map(({ position }) => position);
        expect(positions).toEqual(Array.from({ length: total }, (_, index) => index + 1));
        expect(seen).not.toHaveLength(0);
      }),
    );
  });
}
