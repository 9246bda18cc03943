import { describe, expect, it } from 'vitest';
import { createLiveScene, draftOf, principalOf, publicationOf, writer } from '../testing/live-scene.ts';
import { replayChain } from './chain.ts';

const URI = 'fact://ray/walking';
const reader = principalOf(['read.user']);

async function scene() {
  const made = createLiveScene();
  await made.write(URI, 'words of another person');
  await made.write(URI, 'more words of another person');
  const taken = await made.live.publish(writer, withdrawalOf(URI));
  return { ...made, taken };
}

function withdrawalOf(uri: string) {
  return publicationOf(uri, 'unused', { draft: draftOf(uri, 'unused', { value: null }) });
}

describe('a withdrawal', () => {
  it('is a version of its own, without words, in an intact chain', async () => {
    const { live, taken } = await scene();
    expect(taken).toMatchObject({
      kind: 'published',
      version: { version: 3, kind: 'withdraw', value: null },
    });
    const { head, versions } = await live.store.chain({ ...versionKey(taken) });
    expect(replayChain(versions, head)).toEqual({ intact: true });
  });

  it('leaves the fact listed and readable, with nothing in its place and no word of what it took back', async () => {
    const { live } = await scene();
    const outcome = await live.read(reader, URI);
    expect(outcome).toMatchObject({ kind: 'found', version: { kind: 'withdraw', value: null } });
    expect((await live.list(reader, null, 10)).map(({ uri }) => uri)).toEqual([URI]);
    expect(JSON.stringify(outcome)).not.toContain('another person');
  });

  it.each(['/v1', '/v2'])('makes the version before it absent: %s', async (suffix) => {
    const { live } = await scene();
    expect(await live.read(reader, `${URI}${suffix}`)).toEqual({ kind: 'absent' });
  });

  it('keeps what it took back absent after the fact was said again', async () => {
    const { live, write } = await scene();
    await write(URI, 'the right words');
    await write(URI, 'the right words, revised');
    expect(await live.read(reader, `${URI}/v2`)).toEqual({ kind: 'absent' });
    expect(await live.read(reader, `${URI}/v4`)).toMatchObject({ version: { value: 'the right words' } });
    expect(await live.read(reader, URI)).toMatchObject({ superseded: { value: 'the right words' } });
  });

  it('is a correction for whoever asks what changed, and the only one left of those before', async () => {
    const { live, write } = await scene();
    await write(URI, 'the right words');
    const outcome = await live.changes(reader, { subject: null, since: null, after: null });
    const changes = outcome.kind === 'changes' ? outcome.changes : [];
    expect(changes.map(({ version, previous }) => [version.version, version.value, previous.value])).toEqual([
      [3, null, null],
      [4, 'the right words', null],
    ]);
    expect(JSON.stringify(outcome)).not.toContain('another person');
  });

  it('leaves no answer without changes while there are more, though it took back all of a page', async () => {
    const { live, write } = createLiveScene();
    for (let round = 0; round < 450; round += 1) await write('fact://ray/a');
    const draft = draftOf('fact://ray/a', 'x', { value: null });
    await live.publish(writer, publicationOf('fact://ray/a', 'x', { draft }));
    const ask = (after: string | null) => live.changes(writer, { subject: null, since: null, after });
    const answer = await ask(null);
    expect(answer).toMatchObject({ kind: 'changes', changes: [{ version: { version: 451 } }] });
    expect(await ask(answer.kind === 'changes' ? answer.cursor : null)).toMatchObject({ changes: [] });
  });

  it('of nothing is refused as absent and leaves nothing', async () => {
    const { live } = createLiveScene();
    expect(await live.publish(writer, withdrawalOf(URI))).toEqual({ kind: 'absent' });
    expect(await live.store.journalHead()).toBe(0);
  });
});

function versionKey(taken: Awaited<ReturnType<typeof scene>>['taken']) {
  if (taken.kind !== 'published') throw new Error('the withdrawal was not published');
  return taken.version;
}
