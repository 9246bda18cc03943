import { createHmac } from 'node:crypto';
import { WRITE_SECRET } from './running-server.ts';

/** A write as the bytes and headers that are sent. */
export interface SignedWrite {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Signs a body as the contract says, written here a second time on purpose. */
export function signed(
  body: string,
  {
    secret = WRITE_SECRET,
    at = Date.now(),
    ifMatch,
  }: { secret?: string; at?: number; ifMatch?: string } = {},
): SignedWrite {
  const timestamp = String(Math.floor(at / 1000));
  const mac = createHmac('sha256', secret)
    .update(`${timestamp}.${ifMatch ?? ''}.${body}`)
    .digest('hex');
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-unsay-timestamp': timestamp,
      'x-unsay-signature': `v1=${mac}`,
      ...(ifMatch === undefined ? {} : { 'if-match': ifMatch }),
    },
  };
}

/** The body of a write. */
export function writeBody(uri: string, value: string, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ uri, value, authorId: 'test-author', ...more });
}

/** Sends a write. */
export function send(url: string, { body, headers }: SignedWrite): Promise<Response> {
  return fetch(`${url}/write`, { method: 'POST', body, headers });
}

/** What a writer is told of a version that was published. */
export interface Published {
  readonly uri: string;
  readonly version: number;
  readonly versionHash: string;
  readonly prevHash: string | null;
  readonly writtenAt: string;
  readonly subscribers: number;
}

/** Publishes a version, signed at the given time. */
export async function publish(
  url: string,
  uri: string,
  value: string,
  at: number = Date.now(),
): Promise<Published> {
  const answer = await send(url, signed(writeBody(uri, value), { at }));
  if (answer.status !== 201) throw new Error(`not published: ${await answer.text()}`);
  return (await answer.json()) as Published;
}
