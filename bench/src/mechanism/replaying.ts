import {
  createDecipheriv,
  createHmac,
  createSecretKey,
  hash,
  hkdfSync,
  type KeyObject,
  randomBytes,
} from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import type { Principal, VerifiedPart } from '@unsay/live-resources';
import { createLocalKeyProvider, type KeyProvider } from '@unsay/storage';
import { median } from '../statistics.ts';
import { collectGarbage } from './garbage.ts';
import { openScene, RANDOMNESS } from './scene.ts';
import { type Finding, finding } from './target.ts';

const URI = 'fact://ray/walking';
const EVERYONE: Principal = {
  sub: 'reader',
  clientId: 'bench',
  scopes: new Set(['read.user', 'read.assistant']),
  subjects: '*',
};
const AT_ONCE = 256;
const ROUNDS = 5;
/** Bytes of a version's tuple in its canonical form. */
const TUPLE_BYTES = 760;
const GROWTH_MIB = 64;

/** Replaying one long chain from the store, beside a loop that does nothing but what it cannot do without. */
export async function replaying(folder: string, length: number): Promise<Finding[]> {
  const keys: Uint8Array[] = [];
  const scene = await openScene(folder, 'replaying', tellingProvider(keys));
  try {
    for (let count = 0; count < length; count += AT_ONCE) {
      const share = Math.min(AT_ONCE, length - count);
      await Promise.all(Array.from({ length: share }, () => scene.publish(URI)));
    }
    const copy = join(folder, 'copy.db');
    scene.copyTo(copy);
    const [secret] = keys;
    if (secret === undefined) throw new Error('no chain was written');
    const bare = bareLoop(copy, secret);
    const [ratios, ours, theirs, growth]: [number[], number[], number[], number[]] = [[], [], [], []];
    for (let round = 0; round < ROUNDS; round += 1) {
      const begun = performance.now();
      bare(length);
      theirs.push((length / (performance.now() - begun)) * 1000);
      collectGarbage();
      const before = process.memoryUsage().rss;
      const again = performance.now();
      let most = 0;
      let verdict: VerifiedPart['verdict'] = null;
      for await (const part of scene.live.verify(EVERYONE, { subject: null, topic: null })) {
        most = Math.max(most, process.memoryUsage.rss());
        verdict = part.verdict;
      }
      if (verdict?.intact !== true) throw new Error('the chain is broken');
      ours.push((length / (performance.now() - again)) * 1000);
      growth.push((most - before) / 2 ** 20);
      ratios.push((ours.at(-1) ?? 0) / (theirs.at(-1) ?? 1));
    }
    const beside = `${median(ours).toFixed(0)}/s ÷ ${median(theirs).toFixed(0)}/s, ${length} sealed versions`;
    return [
      finding('replaying a chain ÷ bare loop over its rows (rate)', 'least', 0.6, '', ratios, beside),
      finding(
        'memory that replaying takes',
        'most',
        GROWTH_MIB,
        'MiB',
        // Later rounds find memory that the first has grown already.
        growth.slice(0, 1),
        `resident, ${length} versions; flat when it does not grow with them`,
      ),
    ];
  } finally {
    scene.close();
  }
}

/** A provider that also tells the keys of subjects, for the loop that has to open what the store sealed. */
function tellingProvider(keys: Uint8Array[]): KeyProvider {
  const provider = createLocalKeyProvider(randomBytes(32), RANDOMNESS);
  return {
    ...provider,
    wrap(dataKey, context) {
      if (context.subject !== null) keys.push(Uint8Array.from(dataKey));
      return provider.wrap(dataKey, context);
    },
  };
}

/** Reads every row, opens it, and hashes as many bytes in as many parts as a replay hashes. */
function bareLoop(file: string, secret: Uint8Array): (length: number) => void {
  const db = new DatabaseSync(file, { readOnly: true });
  const all = db.prepare('SELECT * FROM versions ORDER BY version');
  const derived = (use: string): KeyObject =>
    createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', `unsay-envelope/1 ${use}`, 32)));
  const [sealKey, commitKey] = [derived('seal'), derived('commit')];
  const tuple = randomBytes(TUPLE_BYTES);
  const bytes = (cell: SQLOutputValue | undefined): Uint8Array => {
    if (cell instanceof Uint8Array) return cell;
    throw new Error('a row without its sealed bytes');
  };
  return (length) => {
    let count = 0;
    for (const row of all.iterate()) {
      const [nonce, tag, ciphertext] = [bytes(row.nonce), bytes(row.tag), bytes(row.ciphertext)];
      createHmac('sha256', commitKey).update(nonce).update(tag).update(String(row.version_hash)).digest();
      const plain = createDecipheriv('aes-256-gcm', sealKey, nonce).setAuthTag(tag).update(ciphertext);
      const part = plain.length >> 2;
      for (let at = 0; at < 4; at += 1) hash('sha256', plain.subarray(at * part, (at + 1) * part), 'hex');
      hash('sha256', tuple, 'hex');
      count += 1;
    }
    if (count !== length) throw new Error(`the copy has ${count} rows`);
  };
}
