import type { ServerResponse } from 'node:http';
import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/server';
import type { McpApplication } from '../application.ts';
import type { Caller } from '../caller.ts';
import { EVENT_STREAM_HEADERS, sendError, sendRefusal, streamsRefused } from '../http-answers.ts';
import { wantsChangeLog } from '../hub/frame-style.ts';
import type { ListenHub } from '../hub/listen-hub.ts';
import { LIST, LOG } from '../hub/listener.ts';
import { isLogLevel } from '../interaction.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { ErrorCode, internalError } from '../methods/outcome.ts';
import { type HonouredFilter, listenFrames } from './frames.ts';

export interface ListenRequest {
  readonly id: string | number;
  readonly filter: { readonly uris: readonly string[]; readonly listChanged: boolean };
  /** Whether the client wants the log messages of changes. */
  readonly log: boolean;
}

/** Reads `params.notifications`; undefined when it is not a subscription filter of the 2026-07-28 schema. */
export function parseListenRequest(id: string | number, params: JsonObject): ListenRequest | undefined {
  const { notifications } = params;
  if (!isJsonObject(notifications)) return undefined;
  const { resourceSubscriptions: uris = [], ...flags } = notifications;
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) return undefined;
  for (const flag of ['toolsListChanged', 'promptsListChanged', 'resourcesListChanged']) {
    if (flags[flag] !== undefined && typeof flags[flag] !== 'boolean') return undefined;
  }
  const level = isJsonObject(params._meta) ? params._meta[LOG_LEVEL_META_KEY] : undefined;
  const log = isLogLevel(level) && wantsChangeLog(level);
  return { id, filter: { uris, listChanged: flags.resourcesListChanged === true }, log };
}

/**
 * Serves one `subscriptions/listen` stream. The acknowledgement names only what the caller may hear of; what is
 * forbidden and what does not exist are both simply missing from it.
 */
export async function serveListen<P>(
  server: {
    readonly application: McpApplication<P>;
    readonly hub: ListenHub<P>;
    readonly urisPerStream: number;
    readonly onFault: (error: unknown) => void;
  },
  { id, filter, log }: ListenRequest,
  caller: Caller<P>,
  res: ServerResponse,
): Promise<void> {
  const { application, hub, urisPerStream, onFault } = server;
  if (filter.uris.length > urisPerStream) {
    const message = `One stream may subscribe to at most ${urisPerStream} resources: open another for the rest`;
    return sendError(res, id, { code: ErrorCode.invalidParams, message });
  }
  const frames = listenFrames(id, application.serverInfo);
  const attachment = hub.attach(caller, res, frames);
  if (attachment.kind !== 'attached') return sendRefusal(res, id, streamsRefused(attachment.kind));
  const { listener } = attachment;

  // Indexed before it is authorized and holding until it is: what is published in between waits for the
  // acknowledgement, and what turns out to be forbidden is dropped unsent.
  const { resources } = application;
  const uris = resources === undefined ? [] : [...new Set(filter.uris)];
  const listChanged = filter.listChanged && resources !== undefined;
  for (const uri of uris) listener.add(uri);
  if (listChanged) listener.add(LIST);
  const logged = log && resources?.logged === true;
  if (logged) listener.add(LOG);
  let audible: boolean[];
  try {
    audible = await Promise.all(
      uris.map(async (uri) => (await resources?.mayHear(caller.principal, uri)) === true),
    );
  } catch (error) {
    onFault(error);
    listener.abandon();
    return sendError(res, id, internalError);
  }
  if (listener.isClosed) return;
  const heard = uris.filter((uri, index) => {
    if (audible[index] === true) return true;
    listener.remove(uri);
    return false;
  });
  const honoured: HonouredFilter = {
    ...(listChanged && { resourcesListChanged: true }),
    ...(heard.length > 0 && { resourceSubscriptions: heard }),
  };
  res.writeHead(200, EVENT_STREAM_HEADERS);
  listener.begin(frames.acknowledged(honoured));
  if (heard.length === 0 && !listChanged && !logged) listener.end(frames.farewell());
}
