import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { McpApplication } from '../../application.ts';
import type { EventOccurrence } from '../../event-methods.ts';
import { messageEvent } from '../../hub/frame-style.ts';
import type { JsonObject } from '../../json.ts';
import type { RpcError } from '../../methods/outcome.ts';

/** Frames of one `events/stream` (SEP-3415, "Push-Based Delivery"): each carries the id of the request that opened it. */
export interface EventFrames {
  /** The subscription goes on from `cursor`; `truncated` says that something before it is not told. */
  active(cursor: string, truncated: boolean): string;
  event(occurrence: EventOccurrence): string;
  heartbeat(cursor: string): string;
  /** Something failed for now; the subscription goes on. */
  error(error: RpcError): string;
  /** The subscription is over. */
  terminated(error: RpcError): string;
  /** The empty result that ends the stream. */
  result(): string;
}

export function eventFrames(
  id: string | number,
  name: string,
  serverInfo: McpApplication<unknown>['serverInfo'],
): EventFrames {
  const meta = { [SUBSCRIPTION_ID_META_KEY]: id };
  const notification = (kind: string, params: object): string =>
    messageEvent(
      JSON.stringify({
        jsonrpc: '2.0',
        method: `notifications/events/${kind}`,
        params: { ...params, _meta: meta },
      }),
    );
  return {
    active: (cursor, truncated) => notification('active', { cursor, truncated }),
    event: ({ eventId, timestamp, data, place }) =>
      notification('event', { eventId, name, timestamp, data, cursor: place.cursor }),
    heartbeat: (cursor) => notification('heartbeat', { cursor }),
    error: (error) => notification('error', { error: plain(error) }),
    terminated: (error) => notification('terminated', { error: plain(error) }),
    result: () =>
      messageEvent(
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          result: { resultType: 'complete', _meta: { ...meta, [SERVER_INFO_META_KEY]: serverInfo } },
        }),
      ),
  };
}

function plain({ code, message, data }: RpcError): JsonObject {
  return { code, message, ...(data !== undefined && { data }) };
}
