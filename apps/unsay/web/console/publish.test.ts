import { expect, test } from 'vitest';
import { publish } from './publish.ts';

const body = { uri: 'care://ray/gait', value: 'Slow steps.', authorId: 'physio-7' };

function answering(response: Response | Error): { send: typeof fetch; sent: RequestInit[] } {
  const sent: RequestInit[] = [];
  const send: typeof fetch = async (_input, init = {}) => {
    sent.push(init);
    if (response instanceof Error) throw response;
    return response;
  };
  return { send, sent };
}

test('a version is published on the condition that the head is the one that was seen', async () => {
  const { send, sent } = answering(Response.json({ version: 3, subscribers: 2 }, { status: 201 }));
  expect(await publish(body, { token: 't', ifMatch: 'ab', send })).toEqual({
    kind: 'published',
    version: 3,
    subscribers: 2,
  });
  expect(sent[0]?.headers).toMatchObject({ 'if-match': '"ab"', authorization: 'Bearer t' });
  expect(sent[0]?.body).toBe(JSON.stringify(body));
});

test('a head that has moved is told from every other refusal', async () => {
  const refusal = (code: string, status: number) =>
    answering(Response.json({ code, detail: 'd', next: 'n' }, { status })).send;
  const options = { token: 't', ifMatch: 'ab' };
  expect(await publish(body, { ...options, send: refusal('head_moved', 409) })).toMatchObject({
    kind: 'head_moved',
  });
  expect(await publish(body, { ...options, send: refusal('store_rejected', 409) })).toMatchObject({
    kind: 'refused',
    problem: { code: 'store_rejected', detail: 'd', next: 'n' },
  });
});

test('no answer is neither success nor refusal', async () => {
  const { send } = answering(new Error('network'));
  expect(await publish(body, { token: 't', ifMatch: 'ab', send })).toEqual({ kind: 'unknown' });
});
