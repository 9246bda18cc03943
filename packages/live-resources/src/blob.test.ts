import { beforeEach, describe, expect, it } from 'vitest';
import { createLiveScene, draftOf, principalOf, publicationOf, writer } from '../testing/live-scene.ts';
import { PARTITION } from '../testing/sample-facts.ts';
import { everythingIn } from '../testing/wholeness.ts';
import { DEFAULT_BLOB_LIMIT } from './draft-blob.ts';
import { createLiveResources, type LiveResources } from './live-resources.ts';
import type { PublishOutcome } from './publish.ts';

const URI = 'fact://ray/walking';
const RISK = 'fact-internal://ray/risk';

let live: LiveResources;
beforeEach(() => {
  live = createLiveScene().live;
});

const blobOf = (size: number) => ({ mediaType: 'audio/wav', bytes: new Uint8Array(size).fill(7) });

function publishWith(size: number, uri = URI, by = writer, on = live): Promise<PublishOutcome> {
  return on.publish(
    by,
    publicationOf(uri, 'words', { draft: draftOf(uri, 'words', { blob: blobOf(size) }) }),
  );
}

describe('the ceiling of a blob', () => {
  it('lets through as many bytes, and not one more', async () => {
    expect(await publishWith(DEFAULT_BLOB_LIMIT)).toMatchObject({ kind: 'published' });
    const before = await everythingIn(live.store);
    expect(await publishWith(DEFAULT_BLOB_LIMIT + 1)).toEqual({
      kind: 'blob_too_large',
      limit: DEFAULT_BLOB_LIMIT,
    });
    expect(await everythingIn(live.store)).toEqual(before);
  });

  it.each([
    [0, 0],
    [3, 4],
  ])('is what it was set to: %d', async (blobLimit, allowed) => {
    const low = createLiveResources({ ...live, blobLimit });
    expect(await publishWith(blobLimit + 1, URI, writer, low)).toEqual({
      kind: 'blob_too_large',
      limit: blobLimit,
    });
    expect(await publishWith(Math.min(allowed, blobLimit), URI, writer, low)).toMatchObject({
      kind: 'published',
    });
  });

  it('is told only to who may write: to others the subject is absent first', async () => {
    const half = principalOf(['read.user', PARTITION.writeScope]);
    expect(await publishWith(DEFAULT_BLOB_LIMIT + 1, URI, half)).toEqual({ kind: 'absent' });
    const stranger = principalOf(['read.user', 'read.assistant', 'write'], ['someone-else']);
    expect(await publishWith(DEFAULT_BLOB_LIMIT + 1, URI, stranger)).toEqual({ kind: 'absent' });
  });

  it('is the same for a fact that stands, one that does not, and one of another audience', async () => {
    await publishWith(1, RISK);
    const uris = [RISK, 'fact://ray/risk', 'fact://ray/nothing'];
    const outcomes = await Promise.all(uris.map((uri) => publishWith(DEFAULT_BLOB_LIMIT + 1, uri)));
    expect(new Set(outcomes.map(({ kind }) => kind))).toEqual(new Set(['blob_too_large']));
  });
});

describe('a blob rides with its words', () => {
  it('on the same read and under the same right', async () => {
    await publishWith(3, RISK);
    const found = await live.read(writer, RISK);
    expect(found).toMatchObject({ kind: 'found', version: { blob: blobOf(3) } });
    expect(await live.read(principalOf(['read.user']), RISK)).toEqual({ kind: 'absent' });
  });

  it('and not with the words after them', async () => {
    await publishWith(3);
    await live.publish(writer, publicationOf(URI, 'other words'));
    expect(await live.read(writer, URI)).toMatchObject({ version: { version: 2, blob: null } });
    expect(await live.read(writer, `${URI}/v1`)).toMatchObject({ version: { blob: blobOf(3) } });
  });

  it('and is gone with them when they are withdrawn', async () => {
    await publishWith(3);
    await live.publish(writer, publicationOf(URI, 'x', { draft: draftOf(URI, 'x', { value: null }) }));
    const outcome = await live.read(writer, URI);
    expect(outcome).toMatchObject({ version: { blob: null }, superseded: { value: null, blob: null } });
    expect(await live.read(writer, `${URI}/v1`)).toEqual({ kind: 'absent' });
  });

  it('and is not told by what changed, neither of the withdrawal nor of the words after it', async () => {
    await publishWith(3);
    await live.publish(writer, publicationOf(URI, 'x', { draft: draftOf(URI, 'x', { value: null }) }));
    await live.publish(writer, publicationOf(URI, 'the right words'));
    const told = await live.changes(writer, { subject: null, since: null, after: null });
    expect(told).toMatchObject({
      kind: 'changes',
      changes: [
        { version: { kind: 'withdraw', blob: null }, previous: { version: 1, value: null, blob: null } },
        { version: { kind: 'revise', blob: null }, previous: { version: 2, blob: null } },
      ],
    });
  });
});
