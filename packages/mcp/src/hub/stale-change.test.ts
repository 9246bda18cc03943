import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { FrameStyle } from './frame-style.ts';
import { createListenHub, type ListenHub } from './listen-hub.ts';
import { LIST, type Listener, type WatchKey } from './listener.ts';

const frames: FrameStyle = {
  key: 'plain',
  updated: (uri) => uri,
  listChanged: () => 'list',
  logged: (data) => data,
  farewell: () => undefined,
};
const everyone = (): boolean => true;
const staffOnly = (principal: string): boolean => principal === 'staff';

function attach(hub: ListenHub<string>, name: string, key: WatchKey): Listener<string> {
  const caller = { principal: name, sub: name, clientId: 'c', isLive: () => true };
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const attachment = hub.attach(caller, res, frames);
  if (attachment.kind !== 'attached') throw new Error(`not attached: ${attachment.kind}`);
  attachment.listener.add(key);
  attachment.listener.begin('opening');
  return attachment.listener;
}

it('does not tell a reader of a change that it may not hear of by one that waited for readers who left', async () => {
  const hub = createListenHub<string>({ monotonicNow: () => 0, onFault: () => undefined, sliceSize: 1 });
  // Two readers of one resource keep the hub busy past its first slice, so that what follows has to wait.
  attach(hub, 'one', 'a');
  attach(hub, 'two', 'a');
  const left = attach(hub, 'guest', LIST);
  hub.resourceUpdated('a', everyone);
  hub.resourceListChanged(everyone);
  left.abandon();
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const before = hub.counters.sent;

  attach(hub, 'another guest', LIST);
  hub.resourceListChanged(staffOnly);
  for (let turn = 0; turn < 8; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(hub.counters.sent - before).toBe(0);
});
