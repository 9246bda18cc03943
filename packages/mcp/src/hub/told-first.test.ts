import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import type { Reader } from '../fixtures/notes-application.ts';
import { modernRequest, send } from '../fixtures/raw-client.ts';
import { type ServedNotes, serveNotes } from '../fixtures/served-notes.ts';
import type { Listener } from './listener.ts';

const STREAMS = 500;

const frames = { key: 'plain', updated: () => 'x', listChanged: () => 'x', logged: () => 'x' };

function attach({ hub, callers }: ServedNotes): Listener<Reader> {
  const res = new ServerResponse(new IncomingMessage(new Socket()));
  const attached = hub.attach(callers.guest, res, { ...frames, farewell: () => undefined });
  if (attached.kind !== 'attached') throw new Error(attached.kind);
  attached.listener.add('open://apple');
  attached.listener.begin('opening');
  return attached.listener;
}

it('reads what was asked for during a change only when everybody has been told of it', async () => {
  const served = await serveNotes({ hub: { sliceSize: 1, streamsPerOwner: STREAMS } });
  const { hub, http, application } = served;
  for (let count = 0; count < STREAMS; count += 1) attach(served);
  // The change comes right before the read, which without waiting would be answered among the first few told.
  http.prependListener('request', () => hub.resourceUpdated('open://apple', () => true));
  const { resources } = application;
  const { read } = resources;
  let sentBefore = 0;
  resources.read = (...asked) => {
    sentBefore = hub.counters.sent;
    return read.apply(resources, asked);
  };
  const { status } = await send(served.url, modernRequest('resources/read', { uri: 'open://apple' }));
  expect(status).toBe(200);
  expect(sentBefore).toBe(STREAMS);
  await served.stop();
});

it('has nothing wait for signs of life', async () => {
  const served = await serveNotes({ hub: { sliceSize: 1, sweepMs: 5, keepAliveMs: 1_000 } });
  const first = attach(served);
  attach(served);
  const isTelling = new Promise<boolean>((resolve) => {
    first.onKeepAlive = () => resolve(served.hub.isTelling);
  });
  served.hub.start();
  served.clock.ms += 1_000;
  expect(await isTelling).toBe(false);
  await served.stop();
});
