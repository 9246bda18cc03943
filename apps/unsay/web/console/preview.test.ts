import { expect, test } from 'vitest';
import { preview } from './preview.ts';

const body = { uri: 'care://ray/gait', value: 'Slow steps.', authorId: 'physio-7' };

function answering(answer: Response | Error): { send: typeof fetch; sent: [unknown, RequestInit][] } {
  const sent: [unknown, RequestInit][] = [];
  const send: typeof fetch = async (input, init = {}) => {
    sent.push([input, init]);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { send, sent };
}

const asked = (answer: Response | Error) =>
  preview(body, { token: 't', ifMatch: 'ab', send: answering(answer).send });

test('the sentences are the server’s, asked for with what would be published', async () => {
  const { send, sent } = answering(Response.json({ spoken: 'Slow steps.', retraction: 'Stop.' }));
  expect(await preview(body, { token: 't', ifMatch: 'ab', send })).toEqual({
    kind: 'sentences',
    spoken: 'Slow steps.',
    retraction: 'Stop.',
  });
  expect(sent).toMatchObject([
    ['/preview', { method: 'POST', headers: { 'if-match': '"ab"', authorization: 'Bearer t' } }],
  ]);
  expect(sent[0]?.[1].body).toBe(JSON.stringify(body));
});

test('a first version takes nothing back', async () => {
  expect(await asked(Response.json({ spoken: 'Slow steps.', retraction: null }))).toMatchObject({
    kind: 'sentences',
    retraction: null,
  });
});

test.each<[string, Response | Error, RegExp]>([
  ['another head', Response.json({ code: 'head_moved', detail: 'd' }, { status: 409 }), /Someone else/],
  [
    'a refusal',
    Response.json({ code: 'malformed', detail: 'No such date.' }, { status: 400 }),
    /No such date/,
  ],
  ['no answer', new Error('network'), /did not answer/],
  ['an answer of another form', Response.json({ spoken: 7 }), /no sentence/],
  ['an answer that is null', Response.json(null), /no sentence/],
])('where there is none, it says why: %s', async (_what, answer, why) => {
  expect(await asked(answer)).toEqual({ kind: 'none', why: expect.stringMatching(why) });
});
