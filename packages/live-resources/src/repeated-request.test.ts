import { describe, expect, it } from 'vitest';
import { createLiveScene, draftOf, principalOf, publicationOf, writer } from '../testing/live-scene.ts';
import { nonceOf, START } from '../testing/sample-facts.ts';
import { everythingIn } from '../testing/wholeness.ts';
import type { RequestKey } from './store.ts';

const URI = 'fact://ray/walking';
const KEY: RequestKey = { id: '1'.repeat(64), requestHash: '2'.repeat(64), expiresAt: START };
const publication = (parts = {}) => publicationOf(URI, 'said', { request: KEY, ...parts });

describe('a request that is sent again', () => {
  it('is given the first answer and writes no second version, also when the fact went on since', async () => {
    const { live, write } = createLiveScene();
    const first = await live.publish(writer, publication());
    await write(URI, 'said since');
    const second = await live.publish(writer, publication({ ifMatch: null }));
    expect(first).toMatchObject({ kind: 'published', version: { version: 1 } });
    expect(second).toMatchObject({ kind: 'repeated', version: first.kind === 'published' && first.version });
    expect(await live.store.journalHead()).toBe(2);
  });

  it('is one publication however many are under way at once', async () => {
    const { live } = createLiveScene();
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => live.publish(writer, publication())));
    expect(outcomes.map(({ kind }) => kind).sort()).toEqual(['published', ...Array(9).fill('repeated')]);
    expect(await live.store.journalHead()).toBe(1);
  });

  it('leaves a row of its own, and its signature is used up', async () => {
    const { live } = createLiveScene();
    await live.publish(writer, publication({ nonce: nonceOf('one', START) }));
    await live.publish(writer, publication({ nonce: nonceOf('two', START) }));
    const { rows } = await live.store.audit(0, 10);
    expect(rows.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ['accepted', null],
      ['accepted', 'repeated'],
    ]);
    const again = await live.publish(writer, publication({ nonce: nonceOf('two', START) }));
    expect(again).toEqual({ kind: 'replayed' });
  });

  it('is a mismatch when it asks for something else, and changes nothing', async () => {
    const { live } = createLiveScene();
    await live.publish(writer, publication());
    const before = await everythingIn(live.store);
    const other = publication({
      draft: draftOf(URI, 'other'),
      request: { ...KEY, requestHash: '3'.repeat(64) },
    });
    expect(await live.publish(writer, other)).toEqual({ kind: 'idempotency_mismatch' });
    expect(await everythingIn(live.store)).toEqual(before);
  });

  it('is absent to a sender whose rights ended in between', async () => {
    const { live } = createLiveScene();
    await live.publish(writer, publication());
    const narrowed = principalOf(['write', 'read.user'], ['ray'], { sub: 'writer' });
    expect(await live.publish(narrowed, publication())).toEqual({ kind: 'absent' });
  });
});
