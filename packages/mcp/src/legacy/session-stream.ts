import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../caller.ts';
import { EVENT_STREAM_HEADERS, type Refusal, sendRefusal, streamsRefused } from '../http-answers.ts';
import type { ListenHub } from '../hub/listen-hub.ts';
import { LIST } from '../hub/listener.ts';
import { ErrorCode } from '../methods/outcome.ts';
import { LEGACY_VERSIONS } from './exchange.ts';
import { primingEvent, sessionFrames } from './frames.ts';
import { sessionNamedBy } from './session-lookup.ts';
import type { Session, SessionStore } from './session-store.ts';

/** Answers what is not a POST: GET opens the session's stream, DELETE ends the session. */
export function sessionStreams<P>(options: {
  readonly store: SessionStore<P>;
  readonly hub: ListenHub<P>;
  /** False for an application that never tells of changes: it then offers no stream (405). */
  readonly offered: boolean;
}): (req: IncomingMessage, res: ServerResponse, caller: Caller<P>) => void {
  const { store, hub, offered } = options;

  function open(res: ServerResponse, session: Session<P>, caller: Caller<P>): void {
    // A client that lost its stream opens the next one before the server has noticed.
    session.stream?.end();
    const attachment = hub.attach(caller, res, sessionFrames);
    if (attachment.kind !== 'attached') {
      sendRefusal(res, null, streamsRefused(attachment.kind));
      return;
    }
    const { listener } = attachment;
    session.stream = listener;
    for (const uri of session.subscriptions) listener.add(uri);
    if (session.listServed) listener.add(LIST);
    res.writeHead(200, { ...EVENT_STREAM_HEADERS, 'mcp-session-id': session.id });
    listener.begin(primingEvent(store.eventId(session), session.protocolVersion));
  }

  return (req, res, caller) => {
    const refusal = refusalOf(req, offered);
    const lookup =
      refusal === undefined ? sessionNamedBy(req, store, caller) : { kind: 'refused' as const, refusal };
    if (lookup.kind === 'refused') {
      sendRefusal(res, null, lookup.refusal);
    } else if (req.method === 'GET') {
      open(res, lookup.session, caller);
    } else {
      store.end(lookup.session);
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
  if (version !== undefined && !LEGACY_VERSIONS.includes(String(version))) {
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
