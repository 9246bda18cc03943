import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { randomness } from '../../testing/open-sqlite-store.ts';
import { createLocalKeyProvider } from './local-key-provider.ts';

const master = randomBytes(32);
const provider = createLocalKeyProvider(master, randomness);
const context = { storeId: 'store-1', subject: 'ray', dataKeyId: 'key-1' };
const dataKey = randomBytes(32);

it('unwraps what it wrapped, also after a restart, and under its own name', async () => {
  const wrapped = await provider.wrap(dataKey, context);
  const again = createLocalKeyProvider(master, randomness);
  expect(await again.unwrap(wrapped, context)).toEqual(dataKey);
  expect([again.id, again.keyId]).toEqual(['local', provider.keyId]);
  expect(provider.keyId).toMatch(/^[0-9a-f]{16}$/);
  expect(Buffer.from(wrapped).includes(dataKey)).toBe(false);
});

it.each([
  { storeId: 'store-2' },
  { subject: 'eve' },
  { subject: null },
  { subject: '' },
  { dataKeyId: 'key-2' },
])('unwraps nothing in another context: %j', async (other) => {
  const wrapped = await provider.wrap(dataKey, context);
  expect(await provider.unwrap(wrapped, { ...context, ...other })).toBeNull();
});

it('unwraps nothing under another master key, and nothing that was changed', async () => {
  const wrapped = await provider.wrap(dataKey, context);
  const other = createLocalKeyProvider(randomBytes(32), randomness);
  expect(other.keyId).not.toBe(provider.keyId);
  expect(await other.unwrap(wrapped, context)).toBeNull();
  for (let at = 0; at < wrapped.length; at += 1) {
    const changed = Buffer.from(wrapped);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(await provider.unwrap(changed, context)).toBeNull();
    expect(await provider.unwrap(wrapped.subarray(0, at), context)).toBeNull();
  }
});

it('wraps one key differently each time', async () => {
  const [one, other] = [await provider.wrap(dataKey, context), await provider.wrap(dataKey, context)];
  expect(one).not.toEqual(other);
});
