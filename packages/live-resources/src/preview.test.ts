import { beforeEach, describe, expect, it } from 'vitest';
import {
  createLiveScene,
  draftOf,
  type LiveScene,
  principalOf,
  publicationOf,
  writer,
} from '../testing/live-scene.ts';
import { everythingIn } from '../testing/wholeness.ts';
import type { Draft } from './draft.ts';
import { DEFAULT_BLOB_LIMIT } from './draft-blob.ts';
import type { PreviewOutcome } from './preview.ts';
import type { Principal } from './principal.ts';
import { renderRetraction, renderSpoken } from './retraction.ts';
import type { FactVersion, VersionHash } from './version.ts';

const URI = 'fact://ray/walking';
const RISK = 'fact-internal://ray/risk';
const OTHER_HASH = 'cd'.repeat(32) as VersionHash;

let scene: LiveScene;
beforeEach(async () => {
  scene = createLiveScene();
  await scene.write(URI, 'Walk 5 minutes.');
  await scene.write(RISK, 'Falls often.');
  scene.clock.advance(90_000);
});

async function preview(
  draft: Draft,
  by: Principal = writer,
  ifMatch: VersionHash | null = null,
): Promise<PreviewOutcome> {
  const before = await everythingIn(scene.live.store);
  const outcome = await scene.live.preview(by, draft, ifMatch);
  expect(await everythingIn(scene.live.store)).toEqual(before);
  return outcome;
}

interface Sentences {
  readonly spoken: string;
  readonly retraction: string | null;
}

/** The sentences of a preview, and those of a read right after the same draft was published. */
async function sentences(draft: Draft): Promise<{ readonly before: Sentences; readonly after: Sentences }> {
  const { live, clock } = scene;
  const said = (of: { version: FactVersion; superseded: FactVersion | null }): Sentences => ({
    spoken: renderSpoken(of.version, clock),
    retraction: of.superseded && renderRetraction(of.superseded, of.version, clock, []),
  });
  const previewed = await preview(draft);
  await live.publish(writer, publicationOf(draft.target.uri, 'unused', { draft }));
  const read = await live.read(writer, draft.target.uri);
  if (previewed.kind !== 'previewed' || read.kind !== 'found') throw new Error('there is nothing to compare');
  return { before: said(previewed), after: said(read) };
}

describe('a preview', () => {
  it.each<[string, () => Draft]>([
    ['a new fact', () => draftOf('fact://ray/stairs', 'Good leg up first.')],
    ['a revision', () => draftOf(URI, 'Walk 10 minutes.', { authorLabel: 'the ward' })],
    ['a withdrawal', () => draftOf(URI, 'unused', { value: null, authorLabel: 'the ward' })],
    ['an internal fact', () => draftOf(RISK, 'Falls rarely.')],
  ])('of %s has the sentences that are heard once it is published', async (_what, draft) => {
    const { before, after } = await sentences(draft());
    expect(before).toEqual(after);
    expect(before.spoken).not.toBe('');
  });

  it('of words after a withdrawal repeats none of those before it', async () => {
    await scene.live.publish(
      writer,
      publicationOf(URI, 'unused', { draft: draftOf(URI, 'x', { value: null }) }),
    );
    const { before, after } = await sentences(draftOf(URI, 'Walk 7 minutes.'));
    expect(before).toEqual(after);
    expect(JSON.stringify(before)).not.toContain('5 minutes');
  });

  it.each<[string, () => Draft, Principal, VersionHash | null, object]>([
    [
      'who may not write',
      () => draftOf(URI, 'x'),
      principalOf(['read.user']),
      null,
      { kind: 'insufficient_scope' },
    ],
    [
      'who lacks a reading scope',
      () => draftOf(URI, 'x'),
      principalOf(['read.user', 'write']),
      null,
      { kind: 'absent' },
    ],
    [
      'who was not granted the subject',
      () => draftOf(URI, 'x'),
      principalOf(['read.user', 'read.assistant', 'write'], ['mia']),
      null,
      { kind: 'absent' },
    ],
    ['another audience', () => draftOf('fact://ray/risk', 'x'), writer, null, { kind: 'store_rejected' }],
    ['a head that moved', () => draftOf(URI, 'x'), writer, OTHER_HASH, { kind: 'head_moved' }],
    [
      'nothing to withdraw',
      () => draftOf('fact://ray/no', 'x', { value: null }),
      writer,
      null,
      { kind: 'absent' },
    ],
    [
      'a blob over the ceiling',
      () => draftOf(URI, 'x', { blob: { mediaType: 'a/b', bytes: new Uint8Array(DEFAULT_BLOB_LIMIT + 1) } }),
      writer,
      null,
      { kind: 'blob_too_large' },
    ],
  ])('is refused as publication is: %s', async (_why, draft, by, ifMatch, refusal) => {
    const outcome = await preview(draft(), by, ifMatch);
    expect(outcome).toMatchObject(refusal);
    const published = await scene.live.publish(by, publicationOf(URI, 'unused', { draft: draft(), ifMatch }));
    expect(published).toEqual(outcome);
  });
});
