import { type FrameStyle, logMessage, messageEvent } from '../hub/frame-style.ts';

/** Frames of a session's standalone stream. They name no subscription, so all sessions share them. */
export const sessionFrames: FrameStyle = {
  key: 'session',
  updated: (uri, place) => updatedEvent(uri, place?.id()),
  listChanged: (place) => listChangedEvent(place?.id()),
  logged: (data, place) => loggedEvent(data, place?.id()),
  farewell: () => undefined,
};

/** A resource changed. `id` is what a client that comes back names it by. */
export function updatedEvent(uri: string, id?: string): string {
  return withId(
    id,
    `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":${JSON.stringify(uri)}}}`,
  );
}

/** The list changed. */
export function listChangedEvent(id?: string): string {
  return withId(id, '{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}');
}

/** The log's word of a change; `data` is JSON. */
export function loggedEvent(data: string, id?: string): string {
  return withId(id, logMessage(data));
}

/**
 * More was missed than can be told one by one. What follows names each resource once, whatever became of it. The
 * method is ours and of no revision of the protocol: a client that does not know it ignores it and loses nothing.
 */
export function gapEvent(id?: string): string {
  return withId(id, '{"jsonrpc":"2.0","method":"notifications/resources/gap"}');
}

function withId(id: string | undefined, json: string): string {
  return id === undefined ? messageEvent(json) : `id: ${id}\n${messageEvent(json)}`;
}

/**
 * The event that opens a stream and gives the client an id to come back with. Before 2025-11-25 a client could
 * not be trusted to skip empty data; an event without data is never dispatched, yet its id is kept (WHATWG HTML,
 * "server-sent events").
 */
export function primingEvent(eventId: string, protocolVersion: string): string {
  return protocolVersion >= '2025-11-25' ? `id: ${eventId}\ndata: \n\n` : `id: ${eventId}\n\n`;
}
