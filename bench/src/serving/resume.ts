import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Finding, finding } from '../mechanism/target.ts';
import { median } from '../statistics.ts';
import {
  bearer,
  headerOf,
  INITIALIZE,
  legacyRequest,
  sessionHeaders,
  statusOf,
  writeRequest,
} from './mcp-wire.ts';
import { RawConnection, wireRequest } from './raw-connection.ts';
import { startScript } from './server-process.ts';
import type { Scene, Size } from './serving-scene.ts';
import { RAW_STREAMS } from './sides.ts';

const WRITERS = 64;
const TOPICS = 16;
/** Resumes of one side in a round; the middle one counts. */
const TURNS = 3;

/** A client that comes back is told of all that it missed: Unsay, and the same bytes out of one buffer, in turns. */
export async function resume(scene: Scene, { missed, rounds }: Size): Promise<Finding[]> {
  const { port, secret, unsay, folder, cores, closers } = scene;
  const topics = Array.from({ length: TOPICS }, (_, n) => `care://ray/bench_${n}`);
  const connection = await RawConnection.open(port);
  for (const uri of topics) await connection.send(writeRequest(uri, 'Once.', secret));
  const opened = await connection.send(legacyRequest('initialize', INITIALIZE, unsay.token, null));
  const session = headerOf(opened, 'mcp-session-id') ?? null;
  const ask = (method: string, params: object): Promise<Buffer> =>
    connection.send(legacyRequest(method, params, unsay.token, session));
  for (const uri of topics) {
    const subscribed = await ask('resources/subscribe', { uri });
    if (statusOf(subscribed) !== 200) throw new Error('a subscription was refused');
  }
  const streamFrom = (lastEventId?: string): Buffer =>
    wireRequest('GET', '/mcp', {
      accept: 'text/event-stream',
      ...bearer(unsay.token),
      ...sessionHeaders(session),
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
  const first = await readUntil(port, streamFrom(), (text) => /\nid: [^\n]+\n/.test(text));
  const id = /\nid: ([^\r\n]+)/.exec(first.toString('utf8'))?.[1];
  await missMany(port, topics, missed, secret);
  const isAll = (text: string): boolean => text.split('notifications/resources/updated').length > missed;
  const bytes = await readUntil(port, streamFrom(id), isAll);
  const file = join(folder, 'missed');
  writeFileSync(file, bytes.subarray(bytes.indexOf('\r\n\r\n') + 4));
  const raw = await startScript(cores, RAW_STREAMS, ['{}', file]);
  closers.push(raw.stop);
  const buffered = wireRequest('GET', '/buffer', { accept: 'text/event-stream' });
  const times = { unsay: [] as number[], raw: [] as number[] };
  for (let round = -1; round < rounds; round += 1) {
    const ours = await inTurns(() => timeUntil(port, streamFrom(id), missed));
    const theirs = await inTurns(() => timeUntil(raw.port, buffered, missed));
    if (round < 0) continue;
    times.unsay.push(ours);
    times.raw.push(theirs);
  }
  connection.close();
  const ratios = times.unsay.map((ms, index) => ms / (times.raw[index] ?? Number.NaN));
  const beside = `unsay ${median(times.unsay).toFixed(1)}, one buffer ${median(times.raw).toFixed(1)} ms, ${bytes.length} bytes`;
  return [finding(`resume of ${missed} missed ÷ the same bytes`, 'most', 5, '×', ratios, beside)];
}

async function inTurns(take: () => Promise<number>): Promise<number> {
  const samples: number[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) samples.push(await take());
  return median(samples);
}

async function missMany(
  port: number,
  topics: readonly string[],
  count: number,
  secret: string,
): Promise<void> {
  let next = 0;
  const writers = Array.from({ length: WRITERS }, async () => {
    const connection = await RawConnection.open(port);
    while (next < count) {
      const number = next;
      next += 1;
      const uri = topics[number % topics.length] ?? '';
      const written = await connection.send(writeRequest(uri, `Correction ${number}.`, secret));
      if (statusOf(written) !== 201) throw new Error(`a correction was refused: ${written.toString('utf8')}`);
    }
    connection.close();
  });
  await Promise.all(writers);
}

function readUntil(port: number, request: Buffer, isEnough: (text: string) => boolean): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      if (!isEnough(bytes.toString('latin1'))) return;
      socket.destroy();
      resolve(bytes);
    });
  });
}

const UPDATED = Buffer.from('notifications/resources/updated');

/** Milliseconds until so many updates have come, counted with as little work as will do. */
function timeUntil(port: number, request: Buffer, count: number): Promise<number> {
  return new Promise((resolve, reject) => {
    let seen = 0;
    let rest: Buffer = Buffer.alloc(0);
    let begun = 0;
    const socket = connect(port, '127.0.0.1', () => {
      begun = performance.now();
      socket.write(request);
    });
    socket.once('error', reject);
    socket.on('data', (chunk: Buffer) => {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let after = 0;
      for (let at = bytes.indexOf(UPDATED); at >= 0; at = bytes.indexOf(UPDATED, after)) {
        seen += 1;
        after = at + UPDATED.length;
      }
      rest = bytes.subarray(Math.max(after, bytes.length - UPDATED.length));
      if (seen < count) return;
      socket.destroy();
      resolve(performance.now() - begun);
    });
  });
}
