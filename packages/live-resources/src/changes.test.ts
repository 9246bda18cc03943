import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { createLiveScene, type LiveScene, principalOf, writer } from '../testing/live-scene.ts';
import { later, START, sampleFact, write } from '../testing/sample-facts.ts';
import { type ChangesQuery, type Correction, changesSince } from './changes.ts';
import type { Principal } from './principal.ts';
import type { FactStore } from './store.ts';
import type { FactVersion } from './version.ts';

const ALL: ChangesQuery = { subject: null, since: null, after: null };
const everything = principalOf(['read.user', 'read.assistant'], '*');
const user = principalOf(['read.user']);

let scene: LiveScene;
beforeEach(() => {
  scene = createLiveScene();
});

interface Answer {
  readonly changes: readonly Correction[];
  readonly cursor: string;
}

async function ask(principal: Principal, parts: Partial<ChangesQuery> = {}, on = scene): Promise<Answer> {
  const outcome = await on.live.changes(principal, { ...ALL, ...parts });
  if (outcome.kind !== 'changes') throw new Error(`a cursor in a test was refused: ${outcome.kind}`);
  return outcome;
}

const named = ({ version }: Correction): string => `${version.uri}/v${version.version}`;
const names = ({ changes }: Answer): string[] => changes.map(named);

describe('what changed', () => {
  it('is nothing where nothing is, and a cursor all the same', async () => {
    const { changes, cursor } = await ask(user);
    expect(changes).toEqual([]);
    expect(names(await ask(user, { after: cursor }))).toEqual([]);
  });

  it('is every version that took the place of another, never a first one', async () => {
    const first = await scene.write('fact://ray/walking', 'one');
    await scene.write('fact://ray/stairs', 'one');
    const second = await scene.write('fact://ray/walking', 'two');
    const third = await scene.write('fact://ray/walking', 'three');
    expect((await ask(user)).changes).toEqual([
      { version: second, previous: first },
      { version: third, previous: second },
    ]);
  });

  it('is in the order in which it was written, across lanes', async () => {
    const order = ['fact://ray/b', 'fact-internal://ray/c', 'fact://eve/a', 'fact://ray/a', 'fact://ray/b'];
    for (const uri of order) await scene.write(uri);
    for (const uri of order) await scene.write(uri);
    expect(names(await ask(everything))).toEqual([
      'fact://ray/b/v2',
      'fact://ray/b/v3',
      'fact-internal://ray/c/v2',
      'fact://eve/a/v2',
      'fact://ray/a/v2',
      'fact://ray/b/v4',
    ]);
  });

  it('holds corrections that were not announced, and withdrawals in place of what they took back', async () => {
    await scene.write('fact://ray/walking', 'one', { quiet: true });
    await scene.write('fact://ray/walking', 'two', { quiet: true });
    expect((await ask(user)).changes).toMatchObject([
      { version: { kind: 'revise' }, previous: { value: 'one' } },
    ]);
    await write(scene.live.store, sampleFact('user', 'ray', 'walking'), { value: null });
    expect((await ask(user)).changes).toMatchObject([
      { version: { kind: 'withdraw', value: null }, previous: { version: 2, value: null } },
    ]);
  });

  it('since a time begins with what was written at that very time', async () => {
    for (let minute = 0; minute < 4; minute += 1) {
      await scene.write('fact://ray/walking');
      scene.clock.advance(60_000);
    }
    const since = (ms: number) => ask(user, { since: later(START, ms) });
    expect(names(await since(60_000))).toHaveLength(3);
    expect(names(await since(60_001))).toEqual(['fact://ray/walking/v3', 'fact://ray/walking/v4']);
    expect(names(await since(180_001))).toEqual([]);
    expect(names(await since(-1))).toHaveLength(3);
  });
});

describe('a cursor of changes', () => {
  it('continues with what was written since', async () => {
    await scene.write('fact://ray/walking');
    await scene.write('fact://ray/walking');
    const first = await ask(user);
    await scene.write('fact://ray/stairs');
    await scene.write('fact://ray/walking');
    await scene.write('fact://ray/stairs');
    const second = await ask(user, { after: first.cursor });
    expect(names(second)).toEqual(['fact://ray/walking/v3', 'fact://ray/stairs/v2']);
    expect(names(await ask(user, { after: second.cursor }))).toEqual([]);
    expect(names(await ask(user, { after: first.cursor }))).toEqual(names(second));
  });

  it('gives each correction once and in order, whatever is written between calls', async () => {
    const uris = fc.constantFrom('fact://ray/a', 'fact://ray/b', 'fact-internal://ray/c', 'fact://eve/a');
    const steps = fc.array(
      fc.oneof({ arbitrary: uris, weight: 4 }, { arbitrary: fc.constant('ask'), weight: 1 }),
      {
        maxLength: 40,
      },
    );
    await fc.assert(
      fc.asyncProperty(steps, async (history) => {
        const on = createLiveScene();
        const [written, given]: [string[], string[]] = [[], []];
        let after: string | null = null;
        for (const step of [...history, 'ask']) {
          if (step === 'ask') {
            const answer: Answer = await ask(everything, { after }, on);
            given.push(...names(answer));
            after = answer.cursor;
          } else {
            const { uri, version } = await on.write(step);
            if (version > 1) written.push(`${uri}/v${version}`);
          }
        }
        expect(given).toEqual(written);
      }),
      { numRuns: 60 },
    );
  });

  it('loses nothing and doubles nothing that is written while a call reads', async () => {
    const uris = fc.constantFrom('fact://ray/a', 'fact://ray/b', 'fact-internal://ray/c', 'fact://eve/a');
    await fc.assert(
      fc.asyncProperty(fc.scheduler(), fc.array(uris, { maxLength: 20 }), async (scheduler, targets) => {
        const on = createLiveScene();
        const { partition, cursors, store } = on.live;
        const slow = {
          ...store,
          lanes: scheduler.scheduleFunction(store.lanes),
          corrections: scheduler.scheduleFunction(store.corrections),
        };
        const [written, given]: [FactVersion[], FactVersion[]] = [[], []];
        let after: string | null = null;
        const askAgain = async (reading: FactStore): Promise<void> => {
          const outcome = await changesSince(partition, reading, cursors, everything, { ...ALL, after });
          if (outcome.kind !== 'changes') throw new Error('a cursor in a test was refused');
          given.push(...outcome.changes.map(({ version }) => version));
          after = outcome.cursor;
        };
        const writes = scheduler.scheduleSequence(
          targets.map((uri) => async () => {
            written.push(await on.write(uri));
          }),
        );
        const reads = (async () => {
          for (let round = 0; round < 4; round += 1) await askAgain(slow);
        })();
        await scheduler.waitFor(Promise.all([writes.task, reads]));
        await askAgain(store);
        // Between lanes an answer has the order in which it read them; within a lane there is one order.
        const ofLane = (versions: FactVersion[], lane: string): string[] =>
          versions
            .filter(({ subject, audience, version }) => `${subject}/${audience}` === lane && version > 1)
            .map(({ versionHash }) => versionHash);
        for (const lane of ['ray/user', 'ray/assistant', 'eve/user']) {
          expect(ofLane(given, lane)).toEqual(ofLane(written, lane));
        }
      }),
    );
  });

  it('is cut off at 200 corrections and goes on from there without loss', async () => {
    const uris = ['fact://ray/a', 'fact-internal://ray/b', 'fact://eve/c', 'fact://ray/d'];
    const written: string[] = [];
    for (let round = 0; round < 130; round += 1) {
      for (const uri of uris) {
        // One lane grows faster than the others, and one stands still for long.
        if (uri.endsWith('c') && round > 2 && round < 100) continue;
        const { version } = await scene.write(uri);
        if (version > 1) written.push(`${uri}/v${version}`);
      }
    }
    const pages: string[][] = [];
    for (let after: string | null = null; ; ) {
      const answer: Answer = await ask(everything, { after });
      pages.push(names(answer));
      after = answer.cursor;
      if (answer.changes.length === 0) break;
    }
    expect(pages.flat()).toEqual(written);
    expect(pages.map((page) => page.length)).toEqual([200, 200, written.length - 400, 0]);
  });

  it('is cut off where the words become too many, and goes on from there without loss', async () => {
    const words = 'w'.repeat(100_000);
    for (let n = 0; n < 12; n += 1) {
      await scene.write(`fact://ray/f${n}`, words);
      await scene.write(`fact://ray/f${n}`, n === 6 ? words.repeat(10) : words);
    }
    const answers: Answer[] = [];
    for (let after: string | null = null; answers.at(-1)?.changes.length !== 0; ) {
      const answer: Answer = await ask(user, { after });
      answers.push(answer);
      after = answer.cursor;
    }
    expect(answers.map(({ changes }) => changes.length)).toEqual([2, 2, 2, 1, 2, 2, 1, 0]);
    expect(answers.flatMap(names)).toEqual(Array.from({ length: 12 }, (_, n) => `fact://ray/f${n}/v2`));
  });

  it('is cut off within one long lane, and before lanes that have had no turn yet', async () => {
    const written: string[] = [];
    for (const uri of ['fact://ray/long', 'fact://eve/late', 'fact-internal://ray/last']) {
      for (let version = 1; version <= 260; version += 1) {
        await scene.write(uri);
        if (version > 1) written.push(`${uri}/v${version}`);
      }
    }
    const given: string[] = [];
    for (let after: string | null = null, full = true; full; ) {
      const answer: Answer = await ask(everything, { after });
      given.push(...names(answer));
      full = answer.changes.length === 200;
      after = answer.cursor;
    }
    expect(given).toEqual(written);
  });

  it('is cut off at 200 since a time as well', async () => {
    for (let count = 0; count < 20; count += 1) await scene.write('fact://ray/early');
    scene.clock.advance(60_000);
    for (let count = 0; count < 250; count += 1) {
      await scene.write(count % 2 === 0 ? 'fact://ray/early' : 'fact://eve/late');
    }
    const since = later(START, 60_000);
    const first = await ask(everything, { since });
    const second = await ask(everything, { since, after: first.cursor });
    const third = await ask(everything, { after: second.cursor });
    // 125 corrections of the one, and of the other all but its creation.
    expect([first, second, third].map(({ changes }) => changes.length)).toEqual([200, 49, 0]);
    expect(new Set([...names(first), ...names(second)]).size).toBe(249);
  });

  it('is the same token for the same state', async () => {
    await scene.write('fact://ray/walking');
    const { cursor } = await ask(user);
    expect((await ask(user)).cursor).toBe(cursor);
    expect((await ask(user, { after: cursor })).cursor).toBe(cursor);
    await scene.write('fact://ray/walking');
    expect((await ask(user)).cursor).not.toBe(cursor);
  });

  it('does not change with what its holder cannot see', async () => {
    await scene.write('fact://ray/walking');
    await scene.write('fact://ray/walking');
    const before = await ask(user);
    await scene.write('fact-internal://ray/risk');
    await scene.write('fact-internal://ray/risk');
    await scene.write('fact://eve/walking');
    expect(await ask(user)).toEqual(before);
    expect(await ask(user, { after: before.cursor })).toEqual({ ...before, changes: [] });
  });

  it('holds no place that one may count by: lanes far into the journal give the token of a young server', async () => {
    const busy = createLiveScene();
    for (let count = 0; count < 30; count += 1) await busy.write('fact-internal://eve/risk');
    for (const on of [scene, busy]) {
      await on.write('fact://ray/walking', 'one');
      await on.write('fact://ray/walking', 'two');
    }
    expect((await ask(user, {}, busy)).cursor).toBe((await ask(user)).cursor);
  });

  it('is refused when it was altered, is of another principal, or is no cursor of changes', async () => {
    const { cursor } = await ask(user);
    const foreign = scene.live.cursors.seal('resources/list', user, '[]');
    const strangers = [
      principalOf(['read.user'], ['ray'], { sub: 'someone-else' }),
      principalOf(['read.user'], ['ray'], { clientId: 'another-client' }),
    ];
    for (const stranger of strangers) {
      expect(await scene.live.changes(stranger, { ...ALL, after: cursor })).toEqual({ kind: 'bad_cursor' });
    }
    for (const after of ['', '0', `${cursor}A`, cursor.slice(1), foreign]) {
      expect(await scene.live.changes(user, { ...ALL, after })).toEqual({ kind: 'bad_cursor' });
    }
  });
});

describe('the lanes of a cursor are authorized anew', () => {
  const at = (scopes: readonly string[], subjects: readonly string[]) => principalOf(scopes, subjects);

  beforeEach(async () => {
    for (const uri of ['fact://ray/a', 'fact-internal://ray/b', 'fact://eve/c']) {
      await scene.write(uri);
      await scene.write(uri);
    }
  });

  it('and give nothing once a scope or a subject is gone', async () => {
    const { cursor } = await ask(at(['read.user', 'read.assistant'], ['ray', 'eve']));
    for (const uri of ['fact://ray/a', 'fact-internal://ray/b', 'fact://eve/c']) await scene.write(uri);
    const after = (scopes: string[], subjects: string[]) => ask(at(scopes, subjects), { after: cursor });
    expect(names(await after(['read.user'], ['ray']))).toEqual(['fact://ray/a/v3']);
    expect(names(await after(['read.assistant'], ['ray', 'eve']))).toEqual(['fact-internal://ray/b/v3']);
    expect(names(await after(['read.user', 'read.assistant'], ['eve']))).toEqual(['fact://eve/c/v3']);
    expect(names(await after([], ['ray', 'eve']))).toEqual([]);
    expect(names(await after(['read.user', 'read.assistant'], []))).toEqual([]);
  });

  it('and give all that was missed when the right comes back', async () => {
    const both = at(['read.user', 'read.assistant'], ['ray']);
    const { cursor } = await ask(both);
    await scene.write('fact-internal://ray/b');
    const without = await ask(at(['read.user'], ['ray']), { after: cursor });
    expect(names(without)).toEqual([]);
    expect(names(await ask(both, { after: without.cursor }))).toEqual(['fact-internal://ray/b/v3']);
  });

  it('and begin where a lane begins when the right is new', async () => {
    const { cursor } = await ask(at(['read.user'], ['ray']));
    const granted = await ask(at(['read.user'], ['ray', 'eve']), { after: cursor });
    expect(names(granted)).toEqual(['fact://eve/c/v2']);
  });
});

describe('one subject', () => {
  beforeEach(async () => {
    for (const uri of ['fact://ray/a', 'fact://eve/a']) {
      await scene.write(uri);
      await scene.write(uri);
    }
  });

  it('gives its corrections alone and leaves the others to be given later', async () => {
    const ray = await ask(everything, { subject: 'ray' });
    expect(names(ray)).toEqual(['fact://ray/a/v2']);
    const rest = await ask(everything, { after: ray.cursor });
    expect(names(rest)).toEqual(['fact://eve/a/v2']);
    await scene.write('fact://eve/a');
    await scene.write('fact://ray/a');
    const again = await ask(everything, { subject: 'ray', after: rest.cursor });
    expect(names(again)).toEqual(['fact://ray/a/v3']);
    expect(names(await ask(everything, { after: again.cursor }))).toEqual(['fact://eve/a/v3']);
  });

  it('that was not granted, does not exist or is malformed gives one answer', async () => {
    const answers: Answer[] = [];
    for (const subject of [
      'eve',
      'ann',
      'EVE',
      '',
      '*',
      'ray/a',
      'ray\0',
      '__proto__',
      'a'.repeat(100_000),
    ]) {
      answers.push(await ask(user, { subject }));
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect(answers[0]?.changes).toEqual([]);
  });

  it('is never taken for all subjects, whoever asks', async () => {
    for (const subject of ['*', '', 'EVE', 'ann']) expect(names(await ask(writer, { subject }))).toEqual([]);
  });
});

describe('a principal of very many subjects', () => {
  const longName = (index: number): string => `s${String(index).padStart(4, '0')}`.padEnd(64, 'x');

  it('is given cursors that open again, as long as one can hold its lanes', async () => {
    const { live, write: say } = createLiveScene();
    for (let index = 0; index < 1000; index += 1) await say(`fact://${longName(index)}/walking`);
    const everyone = principalOf(['read.user'], '*');
    const first = await live.changes(everyone, { subject: null, since: null, after: null });
    const after = first.kind === 'changes' ? first.cursor : '';
    expect((await live.changes(everyone, { subject: null, since: null, after })).kind).toBe('changes');
    await say(`fact://${longName(1000)}/walking`);
    expect(await live.changes(everyone, { subject: null, since: null, after })).toEqual({
      kind: 'too_many_lanes',
    });
    const one = { subject: longName(1000), since: null, after: null };
    expect((await live.changes(everyone, one)).kind).toBe('changes');
  });
});
