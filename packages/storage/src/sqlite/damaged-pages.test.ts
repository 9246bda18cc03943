import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FactVersion, replayChain } from '@unsay/live-resources';
import { later, nonceOf, START, sampleFact, write } from '@unsay/live-resources/testing';
import { expect, it } from 'vitest';
import { storeOn } from '../../testing/open-sqlite-store.ts';
import { temporaryFolder } from '../../testing/temporary-folder.ts';
import { StorageError } from '../storage-error.ts';
import { openDatabase } from './open-database.ts';

const PAGE = 4096;
const FACTS = Array.from({ length: 24 }, (_, index) =>
  sampleFact(index % 4 === 0 ? 'assistant' : 'user', index % 2 === 0 ? 'ray' : 'eve', `topic-${index}`),
);
const VERSIONS = 2;

/** A store of some sixty pages in one file, and what was written into it. */
async function written(folder: string): Promise<Map<string, FactVersion>> {
  const db = openDatabase(folder);
  const store = await storeOn(db);
  const versions = new Map<string, FactVersion>();
  for (let number = 1; number <= VERSIONS; number += 1) {
    for (const fact of FACTS) {
      const value = `${fact.topic}, sentence ${number}. ${'It says more. '.repeat(30)}`;
      const request = {
        id: `${fact.topic}/${number}`,
        requestHash: 'a'.repeat(64),
        expiresAt: later(START, 1e6),
      };
      const nonce = nonceOf(`${fact.topic}/${number}`, START);
      const version = await write(store, fact, { value }, { request, nonce });
      versions.set(`${fact.topic}/${number}`, version);
    }
  }
  db.close();
  return versions;
}

const CHANGES: Readonly<Record<string, (page: Buffer) => void>> = {
  'all ones': (page) => page.fill(0xff),
  'all zeros': (page) => page.fill(0),
  'some bits inverted at its end': (page) => {
    for (let at = PAGE - 96; at < PAGE; at += 1) page[at] = (page[at] ?? 0) ^ 0x5a;
  },
  'some bits inverted in its middle': (page) => {
    for (let at = PAGE / 2; at < PAGE / 2 + 96; at += 1) page[at] = (page[at] ?? 0) ^ 0x5a;
  },
};

/** What a read of a version came to. */
async function readOf(read: Promise<FactVersion | null>, expected: FactVersion | undefined): Promise<string> {
  try {
    const version = await read;
    if (version === null) return 'absent';
    return version.versionHash === expected?.versionHash && version.value === expected.value
      ? 'right'
      : 'wrong';
  } catch (error) {
    return error instanceof StorageError ? error.code : String(error);
  }
}

it.each(Object.entries(CHANGES))(
  'never says of a fact that it is absent, or other words, whichever page is %s',
  async (_what, change) => {
    using folder = temporaryFolder();
    const versions = await written(folder.path);
    const file = join(folder.path, 'unsay.db');
    const whole = readFileSync(file);
    const outcomes = new Set<string>();
    for (let at = 0; at < whole.length; at += PAGE) {
      const bytes = Buffer.from(whole);
      change(bytes.subarray(at, at + PAGE));
      writeFileSync(file, bytes);
      for (const outcome of await outcomesOf(folder.path, versions)) outcomes.add(outcome);
    }
    expect(whole.length / PAGE).toBeGreaterThan(30);
    // A first page that says nothing of us is no store of ours.
    outcomes.delete('not_a_store');
    expect([...outcomes].sort()).toEqual(['damaged', 'right']);
  },
);

/** What reading every version, chain and audience comes to. */
async function outcomesOf(folder: string, versions: Map<string, FactVersion>): Promise<Set<string>> {
  const found = new Set<string>();
  let db: ReturnType<typeof openDatabase> | undefined;
  try {
    db = openDatabase(folder);
    const store = await storeOn(db);
    for (const fact of FACTS) {
      const lost: number[] = [];
      for (const number of [null, ...Array.from({ length: VERSIONS }, (_, index) => index + 1)]) {
        const expected = versions.get(`${fact.topic}/${number ?? VERSIONS}`);
        const outcome = await readOf(store.version(fact, number), expected);
        found.add(outcome);
        if (outcome !== 'right') lost.push(number ?? VERSIONS);
      }
      const chain = await store.chain(fact).catch((error: unknown) => {
        if (!(error instanceof StorageError)) throw error;
        return null;
      });
      // Without its head a fact is not among the names, and the gap in its lane is what tells.
      const holds = chain !== null && chain.head !== null && replayChain(chain.versions, chain.head).intact;
      if (holds && lost.length > 0) {
        found.add('a chain that holds and cannot be read');
      }
      const audience = await store.audienceOf(fact).catch((error: unknown) => {
        if (!(error instanceof StorageError)) throw error;
        return error.code;
      });
      found.add(audience === null ? 'absent' : 'right');
    }
  } catch (error) {
    found.add(error instanceof StorageError ? error.code : String(error));
  } finally {
    db?.close();
  }
  return found;
}
