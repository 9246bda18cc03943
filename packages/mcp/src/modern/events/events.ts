import type { ServerResponse } from 'node:http';
import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { McpApplication } from '../../application.ts';
import type { Caller } from '../../caller.ts';
import { idOf } from '../../http-answers.ts';
import type { ListenHub } from '../../hub/listen-hub.ts';
import { isJsonObject } from '../../json.ts';
import type { MethodTable } from '../../methods/method-table.ts';
import { extensionsOf } from '../../server-object.ts';
import { eventMethodTable } from './methods.ts';
import { EVENTS_EXTENSION, EVENTS_STREAM, eventRequestReader } from './protocol.ts';
import { serveEventStream } from './stream.ts';

/** The Events extension of one endpoint. */
export interface EventsExtension<P> {
  /** What the SDK answers, or judges before a stream is opened. */
  readonly methods: MethodTable<P>;
  readonly capabilities: Pick<ServerCapabilities, 'extensions'>;
  /** Opens a stream when the message asks for one and the SDK found it in order; false otherwise. */
  openStream(message: unknown, judged: Response, caller: Caller<P>, res: ServerResponse): Promise<boolean>;
}

/** Events as the 2026-07-28 era has them; nothing of them for an application to which nothing happens. */
export function eventsExtension<P>(server: {
  readonly application: McpApplication<P>;
  readonly hub: ListenHub<P>;
  readonly replayLimit: number;
  readonly onFault: (error: unknown) => void;
}): EventsExtension<P> {
  const { application, replayLimit, onFault } = server;
  const { events } = application;
  if (events === undefined) return { methods: new Map(), capabilities: {}, openStream: async () => false };
  const read = eventRequestReader(events);
  return {
    methods: eventMethodTable(events, read, replayLimit, onFault),
    capabilities: { extensions: { ...extensionsOf(application).extensions, [EVENTS_EXTENSION]: {} } },
    async openStream(message, judged, caller, res) {
      const id = idOf(message);
      if (id === null || !isJsonObject(message) || message.method !== EVENTS_STREAM) return false;
      if (!(await isResult(judged)) || !isJsonObject(message.params)) return false;
      const asked = await read(message.params);
      if (asked.kind === 'error') throw new Error('a stream of events was found in order and is not');
      await serveEventStream({ ...server, events }, id, asked.request, caller, res);
      return true;
    },
  };
}

async function isResult(judged: Response): Promise<boolean> {
  const answer: unknown = await judged.clone().json();
  return isJsonObject(answer) && 'result' in answer;
}
