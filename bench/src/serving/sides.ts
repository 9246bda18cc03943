import { fileURLToPath } from 'node:url';
import type { UnsayServer } from '../unsay-server.ts';
import { modernRequest, writeRequest } from './mcp-wire.ts';
import { wireRequest } from './raw-connection.ts';
import type { ServerProcess } from './server-process.ts';
import { FACT, type Scene } from './serving-scene.ts';

/** The floor of streams. */
export const RAW_STREAMS = fileURLToPath(new URL('raw-streams.ts', import.meta.url));

/** One of the two that are compared, and what is asked of it. */
export interface Side {
  readonly name: 'unsay' | 'raw';
  readonly port: number;
  readonly pid: number;
  /** Opens a stream that is told of the fact. */
  readonly listen: Buffer;
  readonly read: Buffer;
  /** A correction of the fact, each with new words. */
  write(): Buffer;
}

export function unsaySide({ secret }: Pick<Scene, 'secret'>, unsay: UnsayServer): Side {
  let version = 0;
  return {
    name: 'unsay',
    port: Number(unsay.url.port),
    pid: unsay.pid,
    ...askedBy(unsay.token),
    write() {
      version += 1;
      return writeRequest(FACT, `Keep the dressing dry for ${version} days.`, secret);
    },
  };
}

/** Plain node:http is sent the same bytes, and looks at as few of them as it can. */
export function rawSide({ unsay }: Pick<Scene, 'unsay'>, { port, pid }: ServerProcess): Side {
  const value = JSON.stringify({ uri: FACT, value: 'Keep the dressing dry for 1 days.', authorId: 'bench' });
  return {
    name: 'raw',
    port,
    pid,
    ...askedBy(unsay.token),
    write: () => wireRequest('POST', '/write', { 'content-type': 'application/json' }, value),
  };
}

function askedBy(token: string): Pick<Side, 'listen' | 'read'> {
  const filter = { notifications: { resourceSubscriptions: [FACT] } };
  return {
    listen: modernRequest('subscriptions/listen', filter, token),
    read: modernRequest('resources/read', { uri: FACT }, token, FACT),
  };
}
