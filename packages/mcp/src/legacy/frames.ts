import { type FrameStyle, messageEvent } from '../hub/frame-style.ts';

/** Frames of a session's standalone stream. They name no subscription, so all sessions share them. */
export const sessionFrames: FrameStyle = {
  key: 'session',
  updated: (uri) =>
    messageEvent(
      `{"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":${JSON.stringify(uri)}}}`,
    ),
  listChanged: () => messageEvent('{"jsonrpc":"2.0","method":"notifications/resources/list_changed"}'),
  farewell: () => undefined,
};

/**
 * The event that opens a stream and gives the client an id to come back with. Before 2025-11-25 a client could
 * not be trusted to skip empty data; an event without data is never dispatched, yet its id is kept (WHATWG HTML,
 * "server-sent events").
 */
export function primingEvent(eventId: string, protocolVersion: string): string {
  return protocolVersion >= '2025-11-25' ? `id: ${eventId}\ndata: \n\n` : `id: ${eventId}\n\n`;
}
