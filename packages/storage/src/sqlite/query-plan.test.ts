import { listener, START, sampleFact, sampleLane, textOf, write } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { ledgerOn } from '../../testing/open-sqlite-ledger.ts';
import { openDatabase } from './open-database.ts';

it('finds everything of one fact or subject along a key, and never walks through the facts of others', async () => {
  const db = openDatabase(':memory:');
  const asked = new Set<string>();
  const { store, ledger } = await ledgerOn({
    ...db,
    prepare(sql) {
      asked.add(sql);
      return db.prepare(sql);
    },
    select(sql, cells) {
      asked.add(sql);
      return db.select(sql, cells);
    },
    change(lock, queries, decide) {
      for (const { sql } of queries) asked.add(sql);
      return db.change(lock, queries, decide);
    },
  });
  const fact = sampleFact('user', 'ray', 'walk');
  await write(store, fact);
  await write(store, fact);
  const lane = sampleLane(fact);
  await store.corrections({ lane, afterOrdinal: 0, since: START, limit: 1 });
  await store.laneEntries(lane, 0, 1);
  await store.positionOf(lane, 1);
  await ledger.change(listener('phone'), { subject: fact.subject, topics: [fact.topic] }, () => []);
  await ledger.text(fact.subject, textOf('Walk.', ['fact://ray/walk/v1']).id);
  // Whether the whole store is empty is asked once, when it is opened.
  const ofOneSubject = [...asked].filter(
    (sql) => /^\s*SELECT/.test(sql) && sql.includes('subject = :subject') && !sql.includes('FROM audit)'),
  );
  const plans = ofOneSubject.map((sql) => {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return steps.map(({ detail }) => String(detail)).join('\n');
  });
  expect(plans.length).toBeGreaterThanOrEqual(14);
  for (const plan of plans) {
    expect(plan).toMatch(/SEARCH/);
    expect(plan).not.toMatch(/SCAN (?!CONSTANT|always)/);
    expect(plan).not.toContain('TEMP B-TREE');
  }
  db.close();
});
