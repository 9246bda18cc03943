import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { VirtualScheduler } from '../page/virtual-scheduler.ts';
import { AskError } from './ask.ts';
import { POLL_MS, polledSession } from './polled-session.ts';

const WOUND = 'care://ray/wound';
const GAIT = 'care://ray/gait';
const RISK = 'care-internal://ray/risk';

type Params = Readonly<Record<string, unknown>>;

/** A server that answers as it is told to, and keeps what it was asked. */
function scene(answers: { changes?: string[][]; pages?: string[][]; lists?: boolean } = {}) {
  const {
    pages = [
      [RISK, GAIT],
      [WOUND, 'ui://unsay/device'],
    ],
    lists = true,
  } = answers;
  const changes = [...(answers.changes ?? [])];
  const asked: (readonly [string, Params])[] = [];
  const heard: string[] = [];
  const scheduler = new VirtualScheduler();
  const state = { fails: false };
  let told = 0;
  const session = polledSession({
    scheduler,
    announcements: { updated: (uri) => void heard.push(uri), listChanged: () => void heard.push('list') },
    async ask(method, params) {
      asked.push([method, params]);
      if (state.fails) throw new AskError(null, 'gone');
      if (method === 'tools/call') {
        told += 1;
        const uris = changes.shift() ?? [];
        const structuredContent = { changes: uris.map((uri) => ({ uri })), cursor: `after ${told}` };
        return { structuredContent };
      }
      if (method === 'resources/read') return { contents: [factOf(String(params.uri))] };
      if (!lists) throw new AskError(-32601, 'Method not found');
      const page = params.cursor === undefined ? 0 : Number(params.cursor);
      const next = page + 1 < pages.length ? { nextCursor: String(page + 1) } : {};
      return { resources: (pages[page] ?? []).map((uri) => ({ uri })), ...next };
    },
  });
  return { session, asked, heard, scheduler, state };
}

function factOf(uri: string) {
  return { uri, text: 'Words.', _meta: { 'unsay/version': 1, 'unsay/audience': 'user' } };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

describe('a session that polls', () => {
  it('lists what may be spoken, on every page', async () => {
    const { session, asked } = scene();
    expect(await session.list()).toEqual([GAIT, WOUND]);
    expect(asked).toEqual([
      ['resources/list', {}],
      ['resources/list', { cursor: '1' }],
    ]);
  });

  it('lists what was ever corrected where the host lists nothing', async () => {
    const { session } = scene({ lists: false, changes: [[WOUND, RISK]] });
    expect(await session.list()).toEqual([WOUND]);
  });

  it('announces each correction of what it follows once, and continues from its cursor', async () => {
    const { session, asked, heard, scheduler } = scene({ changes: [[GAIT], [WOUND, WOUND, RISK], [GAIT]] });
    expect(await session.listen([WOUND, RISK])).toEqual([WOUND]);
    expect(heard).toEqual([]);
    scheduler.advance(POLL_MS);
    await settled();
    scheduler.advance(POLL_MS);
    await settled();
    expect(heard).toEqual([WOUND]);
    expect(asked.map(([, params]) => params.arguments)).toEqual([
      {},
      { after: 'after 1' },
      { after: 'after 2' },
    ]);
  });

  it('asks at once when it is told to, one question at a time', async () => {
    const { session, asked } = scene();
    session.askNow();
    expect(asked).toEqual([]);
    await session.listen([WOUND]);
    for (let times = 0; times < 5; times += 1) session.askNow();
    await settled();
    // The one under way may be too early for what happened meanwhile: one more after it, for all of them.
    expect(asked).toHaveLength(3);
  });

  it('looks at the list again every tenth time', async () => {
    const { session, heard, scheduler } = scene();
    await session.listen([WOUND]);
    for (let times = 0; times < 20; times += 1) {
      scheduler.advance(POLL_MS);
      await settled();
    }
    expect(heard).toEqual(['list', 'list']);
  });

  it('drops when a poll is not answered, shows no sign of life before, and is still after it was closed', async () => {
    const { session, scheduler, state, asked } = scene();
    await session.listen([WOUND]);
    scheduler.advance(POLL_MS);
    await settled();
    expect(session.lastSign()).toBe(POLL_MS);
    state.fails = true;
    scheduler.advance(POLL_MS);
    await session.dropped;
    expect(session.lastSign()).toBe(POLL_MS);
    session.close();
    const before = asked.length;
    scheduler.advance(100 * POLL_MS);
    session.askNow();
    await settled();
    expect(asked).toHaveLength(before);
  });

  it('reads facts, and tells absent from failed', async () => {
    const { session, state } = scene();
    expect(await session.read(WOUND)).toMatchObject({ kind: 'found', fact: { uri: WOUND, version: 1 } });
    state.fails = true;
    expect(await session.read(WOUND)).toEqual({ kind: 'failed', reason: 'gone' });
  });

  it.each([-32602, -32002])('takes %d for the answer that there is no such fact', async (code) => {
    const session = polledSession({
      scheduler: new VirtualScheduler(),
      announcements: { updated: () => {}, listChanged: () => {} },
      ask: () => Promise.reject(new AskError(code, 'no')),
    });
    expect(await session.read(WOUND)).toEqual({ kind: 'absent' });
  });

  it('never passes on or asks for what may not be spoken, whatever it is told', async () => {
    const uris = fc.array(
      fc.constantFrom(
        WOUND,
        GAIT,
        RISK,
        'CARE-INTERNAL://ray/risk',
        'ui://unsay/device',
        'care-internal://',
        'x',
        '',
      ),
      { maxLength: 6 },
    );
    await fc.assert(
      fc.asyncProperty(uris, uris, uris, fc.boolean(), async (listed, first, second, lists) => {
        const { session, asked, heard, scheduler } = scene({
          pages: [listed],
          changes: [first, second],
          lists,
        });
        const followed = await session.list();
        const honoured = await session.listen([...listed, ...followed]);
        scheduler.advance(POLL_MS);
        await settled();
        for (const uri of [...listed, ...first, ...second]) await session.read(uri);
        const read = asked.flatMap(([method, params]) => (method === 'resources/read' ? [params.uri] : []));
        const passed = [...followed, ...honoured, ...heard, ...read];
        expect(passed.filter((uri) => uri !== WOUND && uri !== GAIT)).toEqual([]);
      }),
    );
  });
});
