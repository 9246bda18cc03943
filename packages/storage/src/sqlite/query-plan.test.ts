import { expect, it } from 'vitest';
import { ledgerOn } from '../../testing/open-sqlite-ledger.ts';
import { openDatabase } from './open-database.ts';

it('finds everything of a fact or a subject along a key, and never walks through the facts of others', async () => {
  const db = openDatabase(':memory:');
  const prepared: string[] = [];
  await ledgerOn({
    ...db,
    prepare(sql) {
      prepared.push(sql);
      return db.prepare(sql);
    },
  });
  const ofOneSubject = prepared.filter((sql) => /^\s*SELECT/.test(sql) && sql.includes('subject = :subject'));
  const plans = ofOneSubject.map((sql) => {
    const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return steps.map(({ detail }) => String(detail)).join('\n');
  });
  expect(plans.length).toBeGreaterThanOrEqual(14);
  for (const plan of plans) {
    expect(plan).toMatch(/SEARCH/);
    expect(plan).not.toMatch(/SCAN (?!CONSTANT)/);
    expect(plan).not.toContain('TEMP B-TREE');
  }
  db.close();
});
