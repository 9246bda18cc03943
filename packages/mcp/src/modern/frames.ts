import { SERVER_INFO_META_KEY, SUBSCRIPTION_ID_META_KEY } from '@modelcontextprotocol/server';
import type { McpApplication } from '../application.ts';
import { type FrameStyle, logMessage, messageEvent } from '../hub/frame-style.ts';

/** The part of a listen filter that this server honours. */
export interface HonouredFilter {
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
}

/** Frames of one `subscriptions/listen` stream: each carries the id of the request that opened it. */
export interface ListenFrames extends FrameStyle {
  acknowledged(filter: HonouredFilter): string;
  farewell(): string;
}

export function listenFrames(
  id: string | number,
  serverInfo: McpApplication<unknown>['serverInfo'],
): ListenFrames {
  const key = JSON.stringify(id);
  const meta = `"_meta":{"${SUBSCRIPTION_ID_META_KEY}":${key}}`;
  return {
    key,
    acknowledged: (filter) =>
      notification(
        'notifications/subscriptions/acknowledged',
        `"notifications":${JSON.stringify(filter)},${meta}`,
      ),
    updated: (uri) => notification('notifications/resources/updated', `"uri":${JSON.stringify(uri)},${meta}`),
    listChanged: () => notification('notifications/resources/list_changed', meta),
    logged: (data) => messageEvent(logMessage(data, `,${meta}`)),
    farewell: () =>
      messageEvent(
        JSON.stringify({
          jsonrpc: '2.0',
          id,
          result: {
            resultType: 'complete',
            _meta: { [SUBSCRIPTION_ID_META_KEY]: id, [SERVER_INFO_META_KEY]: serverInfo },
          },
        }),
      ),
  };
}

function notification(method: string, params: string): string {
  return messageEvent(`{"jsonrpc":"2.0","method":"${method}","params":{${params}}}`);
}
