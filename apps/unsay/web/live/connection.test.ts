import { beforeEach, expect, test } from 'vitest';
import { VirtualScheduler } from '../page/virtual-scheduler.ts';
import { Connection, type ConnectionState, LEASE_MS } from './connection.ts';
import type { Access } from './pairing.ts';
import type { Announcements, Opened, Session } from './session.ts';

const A = 'care://ray/a';
const B = 'care://ray/b';

/** A server that the test starts, stops and silences. */
class Server {
  uris: string[] = [A];
  up = true;
  answers = true;
  tokenHolds = true;
  opened = 0;
  closed = 0;
  lastSign = 0;
  listens: string[][] = [];
  /** Happens when a stream is opened. */
  listened: () => void = () => {};
  announce: Announcements = { updated: () => {}, listChanged: () => {} };
  drop: () => void = () => {};

  readonly open = async (_token: string, announce: Announcements): Promise<Opened> => {
    if (!this.up) return { kind: 'unreachable', reason: 'connection refused' };
    if (!this.tokenHolds) return { kind: 'unauthorised' };
    this.opened += 1;
    this.announce = announce;
    const dropped = new Promise<void>((resolve) => {
      this.drop = resolve;
    });
    return { kind: 'open', session: this.#session(dropped) };
  };

  #session(dropped: Promise<void>): Session {
    return {
      dropped,
      list: async () => {
        if (!this.tokenHolds) throw new Error('401');
        return this.uris;
      },
      read: async () => ({ kind: 'absent' }),
      listen: async (uris) => {
        this.listens.push([...uris]);
        this.listened();
        if (!this.answers) return new Promise(() => {});
        this.lastSign = scheduler.now();
        return uris;
      },
      lastSign: () => this.lastSign,
      clockAhead: () => 0,
      unauthorised: () => !this.tokenHolds,
      close: () => {
        this.closed += 1;
      },
    };
  }
}

let server: Server;
let scheduler: VirtualScheduler;
let log: string[];
let access: Access;
let forgotten: number;
/** Whether a refused token can be changed for another. */
let renewable: boolean;
let renewed: () => void;
/** Whether a newer token can be had. */
let due: boolean;
let connection: Connection;

/** Lets every promise that can settle do so. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await Promise.resolve();
}

const statusOf = (state: ConnectionState): string => state.status;

beforeEach(() => {
  server = new Server();
  scheduler = new VirtualScheduler();
  log = [];
  access = { kind: 'token', token: 't' };
  forgotten = 0;
  renewable = false;
  renewed = () => {};
  due = false;
  connection = new Connection({
    access: async () => access,
    forget: () => {
      forgotten += 1;
      renewed();
      return renewable;
    },
    isDue: () => due,
    open: server.open,
    follows: (uri) => uri.startsWith('care://'),
    scheduler,
    chance: () => 0,
    events: {
      state: (state) => void log.push(statusOf(state)),
      attached: async (_session, uris) => void log.push(`read ${uris.join(' ')}`),
      listed: async (uris) => void log.push(`listed ${uris.join(' ')}`),
      updated: (uri) => void log.push(`updated ${uri}`),
      detached: () => void log.push('detached'),
    },
  });
});

test('a page is live only after the stream is acknowledged and everything has been read', async () => {
  server.uris = [A, 'care-internal://ray/risk', 'ui://unsay/device', B];
  connection.start();
  await settle();
  expect(server.listens).toEqual([[A, B]]);
  expect(log).toEqual(['connecting', `read ${A} ${B}`, 'live']);
});

test('what is listed only after the stream was opened is followed too', async () => {
  connection.start();
  server.listened = () => {
    server.uris = [A, B];
  };
  await settle();
  expect(server.listens).toEqual([[A], [A, B]]);
  expect(log).toEqual(['connecting', `read ${A} ${B}`, 'live']);
});

test('a dropped stream is offline at once, then everything is read again', async () => {
  connection.start();
  await settle();
  log.length = 0;
  server.drop();
  await settle();
  expect(log).toEqual(['detached', 'offline']);
  expect(connection.state).toMatchObject({ cause: 'lost', lastChecked: 0 });
  scheduler.advance(250);
  await settle();
  expect(log).toEqual(['detached', 'offline', `read ${A}`, 'live']);
});

test('the lease is fifteen seconds, three beats of a server with its own settings', () => {
  expect(LEASE_MS).toBe(15_000);
});

test('a stream that goes silent for the lease is not live, though nothing was closed', async () => {
  connection.start();
  await settle();
  server.lastSign = 4_000;
  server.answers = false;
  scheduler.advance(4_000 + LEASE_MS - 1_000);
  expect(connection.state.status).toBe('live');
  scheduler.advance(1_000);
  expect(connection.state).toMatchObject({ status: 'offline', cause: 'lost', lastChecked: 4_000 });
});

test('a quiet stream is replaced by a new one before the lease ends, and everything is read again', async () => {
  connection.start();
  await settle();
  log.length = 0;
  for (let second = 0; second < 60; second += 1) {
    scheduler.advance(1_000);
    await settle();
  }
  expect(log.slice(0, 2)).toEqual([`listed ${A}`, `listed ${A}`]);
  expect(connection.state.status).toBe('live');
  expect(server.listens.length).toBeGreaterThan(3);
});

test('a server that is not there is said to be so, and is asked again, more slowly each time', async () => {
  server.up = false;
  connection.start();
  await settle();
  expect(connection.state).toMatchObject({ status: 'offline', cause: 'unreachable', lastChecked: null });
  scheduler.advance(250);
  await settle();
  server.up = true;
  scheduler.advance(499);
  await settle();
  expect(server.opened).toBe(0);
  scheduler.advance(1);
  await settle();
  expect(connection.state.status).toBe('live');
});

test('someone may ask again without the wait', async () => {
  server.up = false;
  connection.start();
  await settle();
  server.up = true;
  connection.retryNow();
  await settle();
  expect(connection.state.status).toBe('live');
  expect(server.opened).toBe(1);
});

test('a refused token is forgotten, and the page stops asking', async () => {
  server.tokenHolds = false;
  connection.start();
  await settle();
  expect(connection.state).toEqual({ status: 'unpaired', expired: true, problem: null });
  expect(forgotten).toBe(1);
  expect(scheduler.waiting).toBe(0);
});

test('a token that ends while the stream is open ends in unpaired', async () => {
  connection.start();
  await settle();
  server.tokenHolds = false;
  server.drop();
  await settle();
  expect(connection.state).toMatchObject({ status: 'unpaired', expired: true });
});

test('a token that was refused is changed for another where one can be had', async () => {
  connection.start();
  await settle();
  log.length = 0;
  server.tokenHolds = false;
  renewable = true;
  renewed = () => {
    server.tokenHolds = true;
  };
  server.drop();
  await settle();
  expect(log).toEqual(['detached', 'connecting', `read ${A}`, 'live']);
});

test('another token that is refused too is the last one that is asked for', async () => {
  renewable = true;
  server.tokenHolds = false;
  connection.start();
  await settle();
  expect(forgotten).toBe(2);
  expect(connection.state).toEqual({ status: 'unpaired', expired: true, problem: null });
  expect(scheduler.waiting).toBe(0);
});

test('a page without a code says so and opens nothing', async () => {
  access = { kind: 'unpaired', problem: null };
  connection.start();
  await settle();
  expect(connection.state).toEqual({ status: 'unpaired', expired: false, problem: null });
  expect(server.opened).toBe(0);
});

test('a new fact is listened to before it is read', async () => {
  connection.start();
  await settle();
  server.uris = [A, B];
  server.announce.listChanged();
  server.announce.listChanged();
  await settle();
  expect(server.listens.slice(1)).toEqual([
    [A, B],
    [A, B],
  ]);
  expect(log.at(-1)).toBe(`listed ${A} ${B}`);
});

test('what an abandoned stream still delivers is ignored', async () => {
  connection.start();
  await settle();
  const old = server.announce;
  server.drop();
  await settle();
  log.length = 0;
  old.updated(A);
  old.listChanged();
  await settle();
  expect(log).toEqual([]);
});

/** A newer token is there, and the page notices within a second. */
async function handOver(): Promise<void> {
  due = true;
  access = { kind: 'token', token: 'newer' };
  server.lastSign = scheduler.now() + 1_000;
  scheduler.advance(1_000);
  await settle();
}

test('a token that ends soon is handed over from, and nothing stops being live for it', async () => {
  connection.start();
  await settle();
  const { drop } = server;
  log.length = 0;
  await handOver();
  due = false;
  drop();
  await settle();
  expect(log).toEqual([`read ${A}`, `listed ${A}`]);
  expect([server.opened, server.closed]).toEqual([2, 1]);
  expect(connection.state.status).toBe('live');
  server.drop();
  await settle();
  expect(connection.state.status).toBe('offline');
});

test.each<[string, Access, boolean]>([
  ['no newer token comes', { kind: 'token', token: 't' }, true],
  ['the sign-in is unreachable', { kind: 'unreachable' }, true],
  ['the server does not answer', { kind: 'token', token: 'newer' }, false],
])('where %s, the page goes on as it is and asks again later, not at once', async (_name, given, up) => {
  connection.start();
  await settle();
  log.length = 0;
  due = true;
  access = given;
  server.up = up;
  for (let second = 1; second <= 9; second += 1) {
    server.lastSign = scheduler.now() + 1_000;
    scheduler.advance(1_000);
    await settle();
  }
  expect([log, server.closed, connection.state.status]).toEqual([[], 0, 'live']);
  server.up = true;
  server.lastSign = scheduler.now() + 2_000;
  scheduler.advance(1_000);
  await handOver();
  expect([server.closed, connection.state.status]).toEqual([1, 'live']);
});

test('what is listed during a hand-over is followed over the new stream', async () => {
  connection.start();
  await settle();
  server.listened = () => {
    server.listened = () => {};
    server.announce.listChanged();
    server.uris = [A, B];
  };
  await handOver();
  expect(server.listens.at(-1)).toEqual([A, B]);
  expect(connection.state.status).toBe('live');
});
