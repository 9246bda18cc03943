import { EventStream } from './event-stream.ts';
import { modernHeaders, modernMessage, post } from './raw-mcp.ts';

type Json = Readonly<Record<string, unknown>>;

/** What a poll said, with the events by their URIs. */
export interface Polled {
  readonly told: readonly string[];
  readonly cursor: string;
  readonly truncated: boolean;
  readonly hasMore: boolean;
}

/** One notification of an event stream, or its result. */
export interface EventFrame {
  readonly method: string;
  readonly params: Json & { readonly cursor: string; readonly data?: { readonly uri: string } };
}

/** Sends a modern request and gives the answer, a result or an error. */
export async function askModern(url: string, method: string, params: Json, token: string): Promise<Json> {
  const answer = await post(url, modernMessage(method, params), modernHeaders(token, method));
  return (await answer.json()) as Json;
}

/** Polls corrections and throws unless there is a result. */
export async function pollEvents(
  url: string,
  token: string,
  cursor: string | null,
  more: Json = {},
): Promise<Polled> {
  const answer = await askModern(url, 'events/poll', { name: 'correction', cursor, ...more }, token);
  const result = answer.result as (Polled & { events: { data: { uri: string } }[] }) | undefined;
  if (result === undefined) throw new Error(JSON.stringify(answer));
  return { ...result, told: result.events.map((event) => event.data.uri) };
}

/** Opens a stream of corrections. Its request has the id 7. */
export function followEvents(
  url: string,
  token: string,
  cursor: string | null,
  more: Json = {},
): Promise<EventStream> {
  const params = { name: 'correction', cursor, ...more };
  return EventStream.open(`${url}/mcp`, {
    method: 'POST',
    headers: {
      ...modernHeaders(token, 'events/stream'),
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(modernMessage('events/stream', params, 7)),
  });
}

/** The next frame that is no sign of life. */
export async function nextFrame(stream: EventStream): Promise<EventFrame> {
  for (;;) {
    const next = (await stream.message()) as EventFrame;
    if (next?.method !== 'notifications/events/heartbeat') return next;
  }
}

/** The next so many corrections, by URI, and the cursor after the last of them. */
export async function nextEvents(
  stream: EventStream,
  count: number,
): Promise<{ readonly uris: readonly unknown[]; readonly cursor: string }> {
  const frames: EventFrame[] = [];
  while (frames.length < count) frames.push(await nextFrame(stream));
  return { uris: frames.map(({ params }) => params.data?.uri), cursor: frames.at(-1)?.params.cursor ?? '' };
}
