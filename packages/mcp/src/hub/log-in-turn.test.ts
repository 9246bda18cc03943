import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createListenHub } from './listen-hub.ts';
import { LOG } from './listener.ts';

const everyone = (): boolean => true;

/** A hub that tells one stream a turn, and what each of its streams was told. */
function scene() {
  const hub = createListenHub<string>({ monotonicNow: () => 0, onFault: () => {}, sliceSize: 1 });
  const told: string[] = [];
  function listen(name: string, ...keys: (string | typeof LOG)[]) {
    const caller = { principal: name, sub: name, clientId: 'c', isLive: () => true };
    const note = (what: string): string => {
      told.push(`${name}: ${what}`);
      return what;
    };
    const attached = hub.attach(caller, new ServerResponse(new IncomingMessage(new Socket())), {
      key: name,
      updated: (uri) => note(`updated ${uri}`),
      logged: (data) => note(`log ${data}`),
      listChanged: () => note('list'),
      farewell: () => undefined,
    });
    if (attached.kind !== 'attached') throw new Error(attached.kind);
    for (const key of keys) attached.listener.add(key);
    attached.listener.begin('opening');
    return attached.listener;
  }
  return { hub, told, listen };
}

async function allTold(hub: { readonly isTelling: boolean }): Promise<void> {
  while (hub.isTelling) await setImmediate();
}

it('a reader of the log that subscribes while a change waits for its turn is told of it', async () => {
  const { hub, told, listen } = scene();
  for (const name of ['one', 'two', 'three']) listen(name, 'x:busy');
  const reader = listen('reader', LOG);
  hub.resourceUpdated('x:busy', everyone, undefined, { of: 'busy' });
  hub.resourceUpdated('x:wound', everyone, undefined, { of: 'wound' });
  reader.add('x:wound');
  await allTold(hub);
  expect(told.filter((line) => line.startsWith('reader') && line.includes('wound'))).toEqual([
    'reader: log {"of":"wound"}',
  ]);
});

it('a reader of the log that ends its subscription while a change waits for its turn is told of it', async () => {
  const { hub, told, listen } = scene();
  for (const name of ['one', 'two', 'three']) listen(name, 'x:busy');
  listen('other', 'x:wound');
  const reader = listen('reader', LOG, 'x:wound');
  hub.resourceUpdated('x:busy', everyone, undefined, { of: 'busy' });
  hub.resourceUpdated('x:wound', everyone, undefined, { of: 'wound' });
  reader.remove('x:wound');
  await allTold(hub);
  expect(told.filter((line) => line.startsWith('reader') && line.includes('wound'))).toEqual([
    'reader: log {"of":"wound"}',
  ]);
});

it('a reader of the log that subscribes is told of a change once', async () => {
  const { hub, told, listen } = scene();
  listen('reader', LOG, 'x:wound');
  hub.resourceUpdated('x:wound', everyone, undefined, { of: 'wound' });
  await allTold(hub);
  expect(told.toSorted()).toEqual(['reader: log {"of":"wound"}', 'reader: updated x:wound']);
});
