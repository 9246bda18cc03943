import { beforeEach, describe, expect, it } from 'vitest';
import { listener } from '../../testing/ledger-contract.ts';
import {
  createLiveScene,
  draftOf,
  type LiveScene,
  principalOf,
  publicationOf,
  writer,
} from '../../testing/live-scene.ts';
import type { Subject } from '../fact-uri.ts';
import type { Audience } from '../partition.ts';
import type { Principal } from '../principal.ts';
import type { Listener } from './listener.ts';
import { createListenerLedger, type ListenerLedger } from './listener-ledger.ts';
import { createMemoryLedgerStore } from './memory-ledger-store.ts';
import type { ReceiptState } from './sentence.ts';

const WALK = 'fact://ray/walk';
const BATH = 'fact://ray/bath';
const INTERNAL = 'fact-internal://ray/risk';
const LANES = { subjects: '*', audiences: ['user' as Audience] } as const;

const principal = principalOf(['read.user'], ['ray'], { sub: 'ray-phone', clientId: 'phone-app' });
const phone: Listener = { id: listener('phone'), sub: 'ray-phone', clientId: 'phone-app' };

let scene: LiveScene;
let ledger: ListenerLedger;

beforeEach(async () => {
  scene = createLiveScene();
  const { partition, store } = scene.live;
  ledger = createListenerLedger({
    partition,
    store,
    ledger: createMemoryLedgerStore(),
    clock: scene.clock,
    glossary: [],
  });
  await scene.write(WALK, 'Walk ten steps.');
  await scene.write(BATH, 'Bathe daily.');
  await scene.write(INTERNAL, 'Fear of falling.');
});

const report = (version: number, state: ReceiptState, takesBack: number | null = null, uri = WALK) =>
  ledger.report(principal, phone, { uri, version, takesBack }, { state, wordsHeard: null });
const owed = () => ledger.owed(principal, phone, null);
const withdraw = (uri: string) =>
  scene.live.publish(writer, publicationOf(uri, 'x', { draft: draftOf(uri, 'x', { value: null }) }));

async function says(uri = WALK): Promise<string> {
  const said = await ledger.say(principal, phone, uri);
  if (said === null) throw new Error('nothing was said');
  return said.text;
}

describe('a listener that heard a version', () => {
  it('owes nothing while it holds, and a retraction word for word once it changed, however late', async () => {
    expect(await says()).toBe('Walk ten steps.');
    expect(await report(1, 'heard')).toBe(0);
    scene.clock.advance(3 * 24 * 3600_000);
    await scene.write(WALK, 'Walk five steps.');
    expect(await owed()).toMatchObject([
      {
        given: { uri: WALK, version: 1 },
        current: { version: 2 },
        state: 'heard',
        retraction:
          'Stop. I take back what I said: “Walk ten steps.” It now says: “Walk five steps.” Changed just now by your care team.',
      },
    ]);
  });

  it('is told by the next sentence about the fact, and owes it until that was heard to its end', async () => {
    await says();
    await report(1, 'heard');
    await scene.write(WALK, 'Walk five steps.');
    expect(await says()).toContain('I take back what I said: “Walk ten steps.”');
    expect(await report(2, 'cut', 1)).toBe(1);
    expect(await says()).toContain('I take back what I said: “Walk ten steps.”');
    expect(await report(2, 'heard', 1)).toBe(0);
    expect(await owed()).toEqual([]);
    expect(await says()).toBe('Walk five steps.');
  });

  it('still owes it when the new words were heard and nothing was taken back', async () => {
    await ledger.read(principal, phone, WALK);
    await report(1, 'heard');
    await scene.write(WALK, 'Walk five steps.');
    await ledger.read(principal, phone, WALK);
    expect(await report(2, 'heard')).toBe(1);
  });

  it('owes each version that was heard, past those that were not', async () => {
    await says();
    await report(1, 'heard');
    await scene.write(WALK, 'Walk five steps.');
    await says();
    await report(2, 'not_heard', 1);
    await scene.write(WALK, 'Walk no steps.');
    expect(await owed()).toMatchObject([{ given: { version: 1 }, current: { version: 3 } }]);
    expect(await report(3, 'heard', 1)).toBe(0);
  });

  it('owes it again when the old words were given again after they were taken back', async () => {
    await says();
    await report(1, 'heard');
    await scene.write(WALK, 'Walk five steps.');
    await owed();
    expect(await report(2, 'heard', 1)).toBe(0);
    await ledger.read(principal, phone, `${WALK}/v1`);
    expect(await owed()).toHaveLength(1);
    expect(await report(2, 'not_heard', 1)).toBe(1);
    expect(await report(2, 'heard', 1)).toBe(0);
  });

  it('does not take back by a report that comes twice what was said in between', async () => {
    await says();
    await report(1, 'heard');
    await scene.write(WALK, 'Walk five steps.');
    await owed();
    await report(2, 'heard', 1);
    await ledger.read(principal, phone, `${WALK}/v1`);
    expect(await report(2, 'heard', 1)).toBe(1);
  });
});

describe('a listener that did not hear a version', () => {
  it.each(['not_heard', 'failed'] as const)('owes nothing for it: %s', async (state) => {
    await says();
    await report(1, state);
    await scene.write(WALK, 'Walk five steps.');
    expect(await owed()).toEqual([]);
    expect(await says()).toBe('Walk five steps.');
  });

  it('owes what it was silent about, for it may have been heard', async () => {
    await says();
    await scene.write(WALK, 'Walk five steps.');
    expect(await owed()).toMatchObject([{ state: 'served', given: { version: 1 } }]);
  });

  it('owes what it gave again after that', async () => {
    await says();
    await report(1, 'not_heard');
    await says();
    await scene.write(WALK, 'Walk five steps.');
    expect(await owed()).toHaveLength(1);
  });

  it('owes what it gave twice and heard once, though the report of that was lost', async () => {
    await says();
    await says();
    await report(1, 'failed');
    await scene.write(WALK, 'Walk five steps.');
    expect(await owed()).toMatchObject([{ state: 'served' }]);
  });

  it('owes what it cut off, with the words it got to', async () => {
    await says();
    await ledger.report(
      principal,
      phone,
      { uri: WALK, version: 1, takesBack: null },
      { state: 'cut', wordsHeard: 2 },
    );
    await scene.write(WALK, 'Walk five steps.');
    expect(await owed()).toMatchObject([{ state: 'cut', wordsHeard: 2 }]);
  });
});

describe('a withdrawal', () => {
  it('names the old words to a listener that was given them, and to no other', async () => {
    const shelf: Listener = { ...phone, id: listener('shelf') };
    await says();
    await withdraw(WALK);
    expect(await ledger.read(principal, phone, WALK)).toMatchObject({
      head: { kind: 'withdraw' },
      superseded: { version: 1, value: 'Walk ten steps.' },
    });
    expect(await ledger.read(principal, shelf, WALK)).toMatchObject({
      superseded: { version: 1, value: null },
    });
    expect(await scene.live.read(principal, WALK)).toMatchObject({ superseded: { version: 1, value: null } });
    const [debt] = await owed();
    expect(debt?.retraction).toBe(
      'Stop. I take back what I said: “Walk ten steps.” Nothing replaces it yet. Ask your care team.',
    );
    expect(await ledger.owed(principal, shelf, null)).toEqual([]);
  });

  it('is taken back from by the words that follow it', async () => {
    await says();
    await report(1, 'heard');
    await withdraw(WALK);
    await scene.write(WALK, 'Walk five steps.');
    expect(await says()).toContain(
      'I take back what I said: “Walk ten steps.” It now says: “Walk five steps.”',
    );
  });
});

describe('a text that was made from facts', () => {
  const briefing = { words: 'Walk ten steps and bathe daily.', citations: [`${WALK}/v1`, `${BATH}/v1`] };

  it('is owed a retraction of each thing that it cites once that changed', async () => {
    const told = await ledger.tell(principal, phone, briefing);
    if (told.kind !== 'told') throw new Error(told.kind);
    const sentence = { subject: 'ray' as Subject, text: told.id };
    expect(await ledger.report(principal, phone, sentence, { state: 'heard', wordsHeard: null })).toBe(0);
    await scene.write(WALK, 'Walk five steps.');
    expect(await owed()).toMatchObject([
      { state: 'heard', given: { uri: WALK, version: 1 }, texts: [{ id: told.id, words: briefing.words }] },
    ]);
    expect(await report(2, 'heard', 1)).toBe(0);
    await scene.write(BATH, 'Bathe weekly.');
    expect(await owed()).toMatchObject([{ given: { uri: BATH, version: 1 }, texts: [{ id: told.id }] }]);
  });

  it('is owed nothing when it was not heard', async () => {
    const told = await ledger.tell(principal, phone, briefing);
    if (told.kind !== 'told') throw new Error(told.kind);
    const sentence = { subject: 'ray' as Subject, text: told.id };
    await ledger.report(principal, phone, sentence, { state: 'not_heard', wordsHeard: null });
    await scene.write(WALK, 'Walk five steps.');
    expect(await owed()).toEqual([]);
  });

  it('is not told when it cites what no longer holds, and says what does', async () => {
    await scene.write(WALK, 'Walk five steps.');
    expect(await ledger.tell(principal, phone, briefing)).toMatchObject({
      kind: 'outdated',
      current: [{ uri: WALK, version: 2 }],
    });
    await scene.write(BATH, 'Bathe weekly.');
    expect(await owed()).toEqual([]);
  });

  it.each([
    ['an internal fact, though the caller may read it', [`${INTERNAL}/v1`]],
    ['an internal fact beside a speakable one', [`${WALK}/v1`, `${INTERNAL}/v1`]],
    ['an internal fact by the other scheme', ['fact://ray/risk/v1']],
    ['another subject', [`${WALK}/v1`, 'fact://kim/walk/v1']],
    ['another subject alone', ['fact://kim/walk/v1']],
    ['a fact and not a version', [WALK]],
    ['a version that is not there', [`${WALK}/v2`]],
    ['nothing', []],
    ['what is no URI', ['walk']],
  ])('is absent when it cites %s', async (_what, citations) => {
    await scene.write('fact://kim/walk', 'Kim walks.');
    const both = { ...principal, scopes: new Set(['read.user', 'read.assistant']) };
    expect(await ledger.tell(both, phone, { words: 'Said.', citations })).toEqual({ kind: 'absent' });
  });

  it.each([
    ['none', ''],
    ['not Unicode', '\ud800'],
    ['too many', 'x'.repeat(64 * 1024 + 1)],
  ])('is absent when its words are %s', async (_what, words) => {
    const told = await ledger.tell(principal, phone, { words, citations: [`${WALK}/v1`] });
    expect(told).toEqual({ kind: 'absent' });
  });
});

describe('whoever does not speak for the listener', () => {
  it.each([
    ['another subject', { ...principal, sub: 'someone' }],
    ['another client', { ...principal, clientId: 'another' }],
  ])('finds nothing and changes nothing: %s', async (_who, stranger) => {
    await says();
    await report(1, 'heard');
    await scene.write(WALK, 'Walk five steps.');
    expect(await ledger.read(stranger, phone, WALK)).toEqual({ kind: 'absent' });
    expect(await ledger.say(stranger, phone, WALK)).toBeNull();
    expect(await ledger.tell(stranger, phone, { words: 'Said.', citations: [`${WALK}/v2`] })).toEqual({
      kind: 'absent',
    });
    const heard = { state: 'heard', wordsHeard: null } as const;
    const sentence = { uri: WALK, version: 1, takesBack: null };
    expect(await ledger.report(stranger, phone, sentence, heard)).toBeNull();
    expect(await ledger.owed(stranger, phone, null)).toEqual([]);
    expect(await owed()).toHaveLength(1);
  });
});

describe('what a listener may not hear', () => {
  it('is absent and leaves no trace: an internal fact, even to one that may read it', async () => {
    const both: Principal = { ...principal, scopes: new Set(['read.user', 'read.assistant']) };
    for (const uri of [
      INTERNAL,
      `${INTERNAL}/v1`,
      'fact://ray/risk',
      'fact://kim/walk',
      'nonsense',
      `${WALK}/v9`,
    ]) {
      expect(await ledger.read(both, phone, uri)).toEqual({ kind: 'absent' });
      expect(await ledger.say(both, phone, uri)).toBeNull();
    }
    await scene.write(INTERNAL, 'Less fear.');
    expect(await ledger.duties({ ...LANES, audiences: ['user', 'assistant'] as Audience[] })).toEqual([]);
  });

  it('is not said of an older version', async () => {
    expect(await ledger.say(principal, phone, `${WALK}/v1`)).toBeNull();
  });

  it('is not counted nor named to one that was narrowed, and stays a duty', async () => {
    await says();
    await report(1, 'heard');
    await scene.write(WALK, 'Walk five steps.');
    for (const narrowed of [
      { ...principal, subjects: new Set<string>() },
      { ...principal, scopes: new Set<string>() },
    ]) {
      expect(await ledger.owed(narrowed, phone, null)).toEqual([]);
      expect(await ledger.owed(narrowed, phone, 'ray')).toEqual([]);
      const sentence = { uri: WALK, version: 1, takesBack: null };
      expect(await ledger.report(narrowed, phone, sentence, { state: 'heard', wordsHeard: null })).toBe(0);
    }
    expect(await ledger.duties(LANES)).toMatchObject([
      { listener: 'phone', given: { uri: WALK, version: 1 }, current: { version: 2 }, state: 'heard' },
    ]);
    expect(await owed()).toHaveLength(1);
  });

  it('is owed by subject, and nothing for a subject that is malformed or not granted', async () => {
    await says();
    await scene.write(WALK, 'Walk five steps.');
    expect(await ledger.owed(principal, phone, 'ray')).toHaveLength(1);
    for (const subject of ['kim', 'RAY', '*', ''])
      expect(await ledger.owed(principal, phone, subject)).toEqual([]);
  });

  it('is not reported of: a sentence that was never given', async () => {
    await says();
    expect(await report(2, 'heard')).toBeNull();
    expect(await report(1, 'heard', 1)).toBeNull();
    expect(await report(1, 'heard', null, BATH)).toBeNull();
    expect(await report(1, 'heard', null, 'fact-internal://ray/walk')).toBeNull();
    expect(await report(1, 'heard', null, 'nonsense')).toBeNull();
  });
});
