import { expect, it } from 'vitest';
import { LIST_OF_ALL, LIST_OF_SUBJECTS } from './fact-queries.ts';
import { openDatabase } from './open-database.ts';

function planOf(sql: string): string {
  const db = openDatabase(':memory:');
  const steps = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
  db.close();
  return steps.map(({ detail }) => String(detail)).join('\n');
}

it('pages through all facts along the index of their URIs, with nothing to sort', () => {
  const plan = planOf(LIST_OF_ALL);
  expect(plan).toContain('SEARCH f USING PRIMARY KEY (uri>?)');
  expect(plan).not.toContain('SCAN f');
  expect(plan).not.toContain('TEMP B-TREE FOR ORDER BY');
});

it('finds the facts of some subjects by subject, and never walks through the facts of others', () => {
  const plan = planOf(LIST_OF_SUBJECTS);
  expect(plan).toMatch(/SEARCH f USING INDEX \w+ \(subject=\?/);
  expect(plan).not.toContain('SCAN f');
});
