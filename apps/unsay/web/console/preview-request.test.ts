import { expect, test } from 'vitest';
import { VirtualScheduler } from '../page/virtual-scheduler.ts';
import type { Previewed } from './preview.ts';
import { PAUSE_MS, PreviewRequest } from './preview-request.ts';
import type { WriteBody } from './publish.ts';

const bodyOf = (value: string): WriteBody => ({ uri: 'care://ray/gait', value, authorId: 'physio-7' });
const sentencesOf = (value: string): Previewed => ({
  kind: 'sentences',
  spoken: value,
  retraction: `Stop. It now says: “${value}”`,
});

function scene() {
  const asked: { value: string; ifMatch: string; answer: (answer: Previewed) => Promise<void> }[] = [];
  const shown: string[] = [];
  const scheduler = new VirtualScheduler();
  const request: PreviewRequest = new PreviewRequest({
    scheduler,
    ask(body, ifMatch) {
      const { promise, resolve } = Promise.withResolvers<Previewed>();
      const answer = async (answer: Previewed): Promise<void> => {
        resolve(answer);
        await promise;
      };
      asked.push({ value: 'value' in body ? body.value : '', ifMatch, answer });
      return promise;
    },
    changed: () => void shown.push(request.state.kind),
  });
  return { request, asked, shown, scheduler };
}

test('the server is asked once, after a pause, for what was typed last', async () => {
  const { request, asked, shown, scheduler } = scene();
  for (const value of ['Sl', 'Slow', 'Slow steps.']) {
    request.want(bodyOf(value), 'ab');
    scheduler.advance(PAUSE_MS - 1);
  }
  expect(asked).toEqual([]);
  scheduler.advance(1);
  expect(asked).toMatchObject([{ value: 'Slow steps.', ifMatch: 'ab' }]);
  await asked[0]?.answer(sentencesOf('Slow steps.'));
  expect(request.state).toEqual(sentencesOf('Slow steps.'));
  expect(shown.at(-1)).toBe('sentences');
});

test('the same draft again asks nothing, another head of it does', () => {
  const { request, asked, scheduler } = scene();
  for (const ifMatch of ['ab', 'ab', 'cd']) {
    request.want(bodyOf('Slow steps.'), ifMatch);
    scheduler.advance(PAUSE_MS);
  }
  expect(asked.map(({ ifMatch }) => ifMatch)).toEqual(['ab', 'cd']);
});

test('an answer about words that have changed since is not shown', async () => {
  const { request, asked, scheduler } = scene();
  request.want(bodyOf('old'), 'ab');
  scheduler.advance(PAUSE_MS);
  request.want(bodyOf('new'), 'ab');
  await asked[0]?.answer(sentencesOf('old'));
  expect(request.state).toEqual({ kind: 'asking' });
});

test('nothing to publish has no sentence, and a late answer does not bring one back', async () => {
  const { request, asked, scheduler } = scene();
  request.want(bodyOf('words'), 'ab');
  scheduler.advance(PAUSE_MS);
  request.want(null, 'ab');
  await asked[0]?.answer(sentencesOf('words'));
  expect(request.state).toEqual({ kind: 'idle' });
});

test('what could not be had is asked for again when it is wanted again', async () => {
  const { request, asked, scheduler } = scene();
  request.want(bodyOf('words'), 'ab');
  scheduler.advance(PAUSE_MS);
  await asked[0]?.answer({ kind: 'none', why: 'The server did not answer.' });
  expect(request.state).toMatchObject({ kind: 'none' });
  request.want(bodyOf('words'), 'ab');
  scheduler.advance(PAUSE_MS);
  expect(asked).toHaveLength(2);
  request.want(null, 'ab');
  expect(request.state).toEqual({ kind: 'idle' });
});
