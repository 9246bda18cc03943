import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { mayHear, type Principal } from '@unsay/live-resources';
import { createListenHub, type ListenHub } from '@unsay/mcp';
import { collectGarbage } from './garbage.ts';
import { PARTITION } from './scene.ts';
import { type Finding, finding } from './target.ts';

const STREAMS = 1000;
const URIS = 1000;
const ROUNDS = 9;
const IDLE = 4000;

const FRAMES = {
  key: 'bench',
  updated: (uri: string): string => `data: ${uri}\n\n`,
  listChanged: () => 'data: list\n\n',
  logged: (data: string): string => `data: ${data}\n\n`,
  farewell: () => undefined,
};

/** Deciding who hears of an entry, where every stream watches every URI; half of them may hear. */
export function hearing(): Finding {
  const hub = newHub();
  const uris = Array.from({ length: URIS }, (_, n) => `fact://subject-${n % 10}/topic-${n}`);
  for (let n = 0; n < STREAMS; n += 1) {
    const scope = n % 2 === 0 ? 'read.user' : 'read.assistant';
    attach(hub, response(), listener(n, scope), uris);
  }
  const decide = (): number => {
    let heard = 0;
    for (const [n, uri] of uris.entries()) {
      const entry = { subject: `subject-${n % 10}`, audience: 'user' } as Parameters<typeof mayHear>[2];
      heard += hub.listeners(uri, (principal) => mayHear(PARTITION, principal, entry));
    }
    return heard;
  };
  const rounds: number[] = [];
  let heard = decide();
  for (let round = 0; round < ROUNDS; round += 1) {
    const begun = performance.now();
    heard = decide();
    rounds.push(((performance.now() - begun) * 1000) / URIS);
  }
  if (heard !== (STREAMS / 2) * URIS) throw new Error(`${heard} were to hear`);
  const what = `who hears of an entry, ${STREAMS} streams × ${URIS} URIs`;
  return finding(what, 'most', 100, 'µs', rounds, 'every stream watches every URI; half of them may hear');
}

/** What a stream that waits costs besides the response that Node holds for it. */
export function idle(): Finding {
  const rounds: number[] = [];
  // Held to the end: what a round would free would count for the next.
  const hubs: ListenHub<Principal>[] = [];
  for (let round = 0; round < 5; round += 1) {
    const hub = newHub();
    hubs.push(hub);
    const responses = Array.from({ length: IDLE }, response);
    const before = memory();
    for (const [n, res] of responses.entries()) {
      attach(hub, res, listener(n, 'read.user'), [`fact://subject-${n % 10}/topic-${n}`]);
    }
    rounds.push((memory() - before) / IDLE / 1024);
    if (hub.counters.open !== responses.length) throw new Error('not every stream was attached');
  }
  const beside = `heap and buffers of ${IDLE} streams with a subscription each, without Node's response and socket`;
  return finding('an idle subscriber', 'most', 12, 'KiB', rounds, beside);
}

function newHub(): ListenHub<Principal> {
  return createListenHub({
    monotonicNow: () => performance.now(),
    onFault: (error) => {
      throw error;
    },
  });
}

function listener(n: number, scope: string): Principal {
  return {
    sub: `listener-${n}`,
    clientId: 'bench',
    scopes: new Set([scope]),
    subjects: new Set(Array.from({ length: 10 }, (_, subject) => `subject-${subject}`)),
  };
}

function response(): ServerResponse {
  return new ServerResponse(new IncomingMessage(new Socket()));
}

function attach(
  hub: ListenHub<Principal>,
  res: ServerResponse,
  principal: Principal,
  uris: readonly string[],
): void {
  const { sub, clientId } = principal;
  const attached = hub.attach({ principal, sub, clientId, isLive: () => true }, res, FRAMES);
  if (attached.kind !== 'attached') throw new Error(`a stream is ${attached.kind}`);
  for (const uri of uris) attached.listener.add(uri);
  attached.listener.begin('');
}

function memory(): number {
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}
