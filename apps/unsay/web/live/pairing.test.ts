import { expect, test } from 'vitest';
import { codeInFragment, Pairing, type TokenStorage } from './pairing.ts';

const CODE = 'Jx3m0C5yW1uY8bq2Rk7v9A';

function storage(): TokenStorage {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}

function answering(...answers: (Response | Error)[]): { send: typeof fetch; bodies: string[] } {
  const bodies: string[] = [];
  const send: typeof fetch = async (_input, init) => {
    bodies.push(String(init?.body));
    const answer = answers.shift();
    if (answer === undefined || answer instanceof Error) throw answer ?? new Error('no answer left');
    return answer;
  };
  return { send, bodies };
}

const granted = (token: string) =>
  Response.json({ access_token: token, expires_in: 3600, scope: 'care.read.user' });
const used = () =>
  Response.json({ code: 'not_found', detail: 'Used.', next: 'Pair again.' }, { status: 404 });

test.each([
  [`#${CODE}`, CODE],
  [`#code=${CODE}`, CODE],
  ['', null],
  ['#', null],
  ['#facts', null],
  ['#<script>alert(1)</script>', null],
])('the code in %j is %j', (fragment, code) => {
  expect(codeInFragment(fragment)).toBe(code);
});

test('a code is redeemed once and the token is kept for a reload', async () => {
  const kept = storage();
  const { send, bodies } = answering(granted('t1'));
  const pairing = new Pairing({ storage: kept, key: 'k', code: CODE, send });
  expect(await pairing.access()).toEqual({ kind: 'token', token: 't1' });
  expect(await pairing.access()).toEqual({ kind: 'token', token: 't1' });
  expect(bodies).toEqual([JSON.stringify({ code: CODE })]);
  const reloaded = new Pairing({ storage: kept, key: 'k', code: null, send });
  expect(await reloaded.access()).toEqual({ kind: 'token', token: 't1' });
});

test('a code outlives a server that does not answer', async () => {
  const { send, bodies } = answering(new Error('refused'), granted('t1'));
  const pairing = new Pairing({ storage: storage(), key: 'k', code: CODE, send });
  expect(await pairing.access()).toEqual({ kind: 'unreachable' });
  expect(await pairing.access()).toEqual({ kind: 'token', token: 't1' });
  expect(bodies).toHaveLength(2);
});

test('a used code with no kept token is a refusal in the words of the server', async () => {
  const { send } = answering(used());
  const pairing = new Pairing({ storage: storage(), key: 'k', code: CODE, send });
  const access = await pairing.access();
  expect(access).toMatchObject({ kind: 'unpaired', problem: { detail: 'Used.', next: 'Pair again.' } });
});

test('a used code does not cost a tab the token that it has', async () => {
  const kept = storage();
  kept.setItem('k', 't0');
  const pairing = new Pairing({ storage: kept, key: 'k', code: CODE, send: answering(used()).send });
  expect(await pairing.access()).toEqual({ kind: 'token', token: 't0' });
});

test('a forgotten token is gone', async () => {
  const kept = storage();
  kept.setItem('k', 't0');
  const pairing = new Pairing({ storage: kept, key: 'k', code: null, send: answering().send });
  pairing.forget();
  expect(await pairing.access()).toEqual({ kind: 'unpaired', problem: null });
});
