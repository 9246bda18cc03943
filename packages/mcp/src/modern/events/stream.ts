import type { ServerResponse } from 'node:http';
import type { McpApplication } from '../../application.ts';
import type { Caller } from '../../caller.ts';
import type { EventMethods, EventOutcome, EventStart } from '../../event-methods.ts';
import { EVENT_STREAM_HEADERS, sendError, sendRefusal, streamsRefused } from '../../http-answers.ts';
import type { FrameStyle } from '../../hub/frame-style.ts';
import type { ListenHub } from '../../hub/listen-hub.ts';
import type { Listener } from '../../hub/listener.ts';
import { internalError, type RpcError } from '../../methods/outcome.ts';
import { type EventFrames, eventFrames } from './frames.ts';
import { EventErrorCode, type EventRequest, problemWith } from './protocol.ts';

/** Occurrences that are read at once: what a stream holds in memory at the most. */
const BATCH = 64;

type Batch = Extract<EventOutcome, { readonly kind: 'batch' }>;

const accessEnded: RpcError = {
  code: EventErrorCode.forbidden,
  message: 'Forbidden',
  data: { reason: 'Access ended' },
};

export interface EventStreamServer<P> {
  readonly application: McpApplication<P>;
  readonly events: EventMethods<P>;
  readonly hub: ListenHub<P>;
  readonly replayLimit: number;
  readonly onFault: (error: unknown) => void;
}

/**
 * Serves one `events/stream`. The hub says when to read on and never what: the stream reads from its own place for
 * as long as its reader takes what it is told, so a slow one costs no memory and loses nothing.
 */
export async function serveEventStream<P>(
  server: EventStreamServer<P>,
  id: string | number,
  request: EventRequest,
  caller: Caller<P>,
  res: ServerResponse,
): Promise<void> {
  const { application, events, hub, replayLimit, onFault } = server;
  const { subscription } = request;
  const read = (from: EventStart, maxAgeMs: number | null): Promise<EventOutcome> =>
    events.read(caller.principal, subscription, from, { most: BATCH, replay: replayLimit, maxAgeMs });
  const frames = eventFrames(id, subscription.name, application.serverInfo);
  const reading = new Reading<P>(frames, (from) => read(from, null), onFault);
  const attachment = hub.attach(caller, res, reading.style);
  if (attachment.kind !== 'attached') return sendRefusal(res, id, streamsRefused(attachment.kind));
  const { listener } = attachment;
  // Before the first look: what happens meanwhile is looked for once more.
  listener.readWith(() => void reading.readOn());
  let first: EventOutcome;
  try {
    first = await read(request.cursor, request.maxAgeMs);
  } catch (error) {
    onFault(error);
    listener.abandon();
    return sendError(res, id, internalError);
  }
  if (listener.isClosed) return;
  const problem = problemWith(first);
  if (first.kind !== 'batch' || problem !== null) {
    listener.abandon();
    return sendError(res, id, problem ?? internalError);
  }
  res.writeHead(200, EVENT_STREAM_HEADERS);
  listener.begin(frames.active(first.from, first.truncated));
  await reading.start(listener, first);
}

/** Where one stream stands, and how it gets on from there. */
class Reading<P> {
  readonly style: FrameStyle;
  readonly #frames: EventFrames;
  readonly #read: (from: EventStart) => Promise<EventOutcome>;
  readonly #onFault: (error: unknown) => void;
  #listener: Listener<P> | undefined;
  #place: EventStart = null;
  /** What a client that hears nothing more comes back with. */
  #cursor = '';
  #isBusy = true;
  #again = false;
  #failed = false;

  constructor(
    frames: EventFrames,
    read: (from: EventStart) => Promise<EventOutcome>,
    onFault: (error: unknown) => void,
  ) {
    this.#frames = frames;
    this.#read = read;
    this.#onFault = onFault;
    const handed = (): never => {
      throw new Error('a stream that reads for itself is handed no frame');
    };
    this.style = {
      key: 'events',
      updated: handed,
      listChanged: handed,
      logged: handed,
      heartbeat: () => this.#heartbeat(),
      farewell: () => frames.result(),
      tokenEnded: () => frames.terminated(accessEnded) + frames.result(),
    };
  }

  /** Tells of the first batch, whose opening is written, and of whatever came after it. */
  async start(listener: Listener<P>, first: Batch): Promise<void> {
    this.#listener = listener;
    this.#goTo(first.from, first.from);
    const goOn = this.#tellEvents(first) && first.hasMore;
    this.#isBusy = false;
    if (goOn || this.#again) await this.readOn();
  }

  /** Reads on to the end, or until the reader has no room. One call at a time; one during another runs after it. */
  async readOn(): Promise<void> {
    this.#again = true;
    if (this.#isBusy) return;
    this.#isBusy = true;
    try {
      while (this.#again && this.#listener?.isOpen) {
        this.#again = false;
        await this.#readToTheEnd();
      }
      this.#failed = false;
    } catch (error) {
      this.#onFault(error);
      this.#failed = true;
      this.#listener?.tell(this.#frames.error(internalError));
    } finally {
      this.#isBusy = false;
    }
  }

  async #readToTheEnd(): Promise<void> {
    for (;;) {
      const outcome = await this.#read(this.#place);
      if (outcome.kind !== 'batch') {
        const problem = problemWith(outcome) ?? internalError;
        this.#listener?.end(this.#frames.terminated(problem) + this.#frames.result());
        return;
      }
      if (!this.#tell(outcome) || !outcome.hasMore) return;
    }
  }

  /** False when the rest has to wait: the place is then that of the last one told. */
  #tell(batch: Batch): boolean {
    if (batch.truncated) {
      if (!this.#listener?.tell(this.#frames.active(batch.from, true))) return false;
      this.#goTo(batch.from, batch.from);
    }
    return this.#tellEvents(batch);
  }

  #tellEvents({ events, cursor, end }: Batch): boolean {
    for (const event of events) {
      if (!this.#listener?.tell(this.#frames.event(event))) return false;
      this.#goTo(event.place, event.place.cursor);
    }
    this.#goTo(end, cursor);
    return true;
  }

  #goTo(place: EventStart, cursor: string): void {
    this.#place = place;
    this.#cursor = cursor;
  }

  /** A sign of life is also when what failed is tried again. */
  #heartbeat(): string {
    if (this.#failed) void this.readOn();
    return this.#frames.heartbeat(this.#cursor);
  }
}
