import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ResourceMethods } from '../application.ts';
import type { Caller } from '../caller.ts';
import { EVENT_STREAM_HEADERS, type Refusal, sendRefusal, streamsRefused } from '../http-answers.ts';
import type { ListenHub } from '../hub/listen-hub.ts';
import { LIST } from '../hub/listener.ts';
import { ErrorCode } from '../methods/outcome.ts';
import { LEGACY_VERSIONS, namesNewerInSession } from './exchange.ts';
import { primingEvent, sessionFrames } from './frames.ts';
import { followLog } from './log-level.ts';
import { type Replay, type ResumePoint, replay } from './replay.ts';
import { type SessionLookup, sessionNamedBy } from './session-lookup.ts';
import type { Session, SessionStore } from './session-store.ts';

/**
 * What stands for the token that a session goes on from, for a client that did not name it. The token may be too
 * long to be an event's id, and its length tells of the rights of whoever opened the session.
 */
function shortIdOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

function resumePoint(
  session: { readonly resumeFrom: string | null },
  lastEventId: string | undefined,
): ResumePoint | null {
  const { resumeFrom } = session;
  if (lastEventId === undefined) return resumeFrom === null ? null : { token: resumeFrom, isExact: false };
  const isShort = resumeFrom !== null && lastEventId === shortIdOf(resumeFrom);
  return { token: isShort ? resumeFrom : lastEventId, isExact: true };
}

/** Answers what is not a POST: GET opens the session's stream, DELETE ends the session. */
export function sessionStreams<P>(options: {
  readonly store: SessionStore<P>;
  readonly hub: ListenHub<P>;
  /** Undefined for an application that never tells of changes: it then offers no stream (405). */
  readonly resources: ResourceMethods<P> | undefined;
  readonly replayLimit: number;
}): (req: IncomingMessage, res: ServerResponse, caller: Caller<P>) => Promise<void> {
  const { store, hub, resources, replayLimit } = options;
  const history = resources?.history;

  async function open(
    res: ServerResponse,
    session: Session<P>,
    caller: Caller<P>,
    lastEventId: string | undefined,
  ): Promise<void> {
    // A client that lost its stream opens the next one before the server has noticed.
    session.stream?.giveUp();
    const attachment = hub.attach(caller, res, sessionFrames);
    if (attachment.kind !== 'attached') {
      sendRefusal(res, null, streamsRefused(attachment.kind));
      return;
    }
    const { listener } = attachment;
    session.stream = listener;
    listener.onKeepAlive = () => store.touch(session);
    for (const uri of session.subscriptions) listener.add(uri);
    if (session.listServed || session.listsUnderWay > 0) listener.add(LIST);
    followLog(session);
    const from = resumePoint(session, lastEventId);
    let told: Replay | undefined;
    try {
      if (history) told = await replay(history, session, caller.principal, from, replayLimit);
    } catch (error) {
      listener.abandon();
      throw error;
    }
    if (listener.isClosed) return;
    res.writeHead(200, { ...EVENT_STREAM_HEADERS, 'mcp-session-id': session.id });
    // A client that is lost again before it has read what it missed must be told all of it once more, so the first
    // id is that of where this stream goes on from: where nobody knows, one that nobody will know either.
    const known = from !== null && told?.isComplete ? from : null;
    const first = known && (lastEventId ?? shortIdOf(known.token));
    const opening = primingEvent(first ?? store.eventId(session), session.protocolVersion);
    listener.begin(opening + (told?.events.join('') ?? ''), told);
  }

  return async (req, res, caller) => {
    const refusal = refusalOf(req, resources !== undefined);
    const lookup: SessionLookup<P> =
      refusal === undefined ? await sessionNamedBy(req, store, caller) : { kind: 'refused', refusal };
    if (lookup.kind === 'refused') {
      sendRefusal(res, null, lookup.refusal);
    } else if (req.method === 'GET') {
      const lastEventId = req.headers['last-event-id'];
      await open(res, lookup.session, caller, typeof lastEventId === 'string' ? lastEventId : undefined);
    } else {
      await store.end(lookup.session);
      res.writeHead(200, { 'content-length': 0 }).end();
    }
  };
}

function refusalOf(req: IncomingMessage, offered: boolean): Refusal | undefined {
  const allowed = offered ? ['GET', 'POST', 'DELETE'] : ['POST', 'DELETE'];
  if (req.method === undefined || !allowed.includes(req.method)) {
    const allow = allowed.join(', ');
    return refusal(405, `Method not allowed: send ${allow}`, { allow });
  }
  if (req.method === 'GET' && !(req.headers.accept ?? '').includes('text/event-stream')) {
    return refusal(406, 'Not Acceptable: the Accept header must name text/event-stream');
  }
  const version = req.headers['mcp-protocol-version'];
  if (version !== undefined && !LEGACY_VERSIONS.includes(String(version)) && !namesNewerInSession(req)) {
    const served = LEGACY_VERSIONS.join(', ');
    return refusal(400, `Bad Request: unsupported protocol version; ${req.method} is served in ${served}`);
  }
  return undefined;
}

function refusal(status: number, message: string, headers?: Refusal['headers']): Refusal {
  return {
    status,
    error: { code: ErrorCode.serverError, message },
    ...(headers !== undefined && { headers }),
  };
}
