import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import type { FrameStyle } from './frame-style.ts';
import { createListenHub } from './listen-hub.ts';

const FRAMES: FrameStyle = {
  key: 'test',
  updated: String,
  listChanged: () => '',
  logged: String,
  farewell: () => undefined,
};

afterEach(() => vi.useRealTimers());

it('ends a stream within one second of the end of its token, with nobody else doing anything', () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const hub = createListenHub<null>({ monotonicNow: () => 0, onFault: () => undefined });
  let live = true;
  const caller = { principal: null, sub: 'ray', clientId: 'phone', isLive: () => live };
  hub.start();
  const attachment = hub.attach(caller, new ServerResponse(new IncomingMessage(new Socket())), FRAMES);
  expect(attachment.kind).toBe('attached');
  vi.advanceTimersByTime(5_000);
  expect(hub.counters).toMatchObject({ open: 1, expired: 0 });
  live = false;
  // A quarter of the second that is promised, so that a busy event loop does not use the rest up.
  vi.advanceTimersByTime(250);
  expect(hub.counters).toMatchObject({ open: 0, expired: 1 });
});
