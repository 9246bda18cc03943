import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  type AuditEntry,
  type FactVersion,
  instant,
  type JournalEntry,
  mayHear,
  type Nonce,
  type Principal,
} from '@unsay/live-resources';
import { speaksOnly } from '../domain/care-partition.ts';
import { authenticate, challengeFor, principalOf } from './authentication.ts';
import type { HttpContext } from './context.ts';
import { problemOf, readDraftRequest, SCOPES_OF_A_WRITER } from './draft-request.ts';
import { readJsonRequest } from './json-request.ts';
import { type ProblemCode, type ProblemExtra, sendJson, sendProblem } from './problem.ts';
import { limited, refusedCredential } from './rate-limit.ts';
import { readRequestKey } from './write-body.ts';
import { single, verifySystemSignature, type WriterOutcome, type WriterVia } from './writer-credential.ts';

/** How one attempt ended, with everything its answer and its audit row need. */
type Attempt =
  | {
      readonly kind: 'published';
      readonly body: Readonly<Record<string, unknown>>;
      readonly audit: AuditEntry;
      /** What is to be announced; null where nothing new was written. */
      readonly entry: JournalEntry | null;
    }
  | {
      readonly kind: 'refused';
      readonly code: ProblemCode;
      readonly via: WriterVia;
      readonly actor: string | null;
      readonly uri: string | null;
      readonly nonce: Nonce | null;
      readonly extra: ProblemExtra;
    };

const ONCE = ['x-unsay-timestamp', 'x-unsay-signature', 'authorization', 'if-match', 'idempotency-key'];

/** `POST /write`: publishes a version. Every attempt leaves one audit row, whatever its end. */
export async function handleWrite(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const attempt = await attemptOf(context, req);
  if (attempt.kind === 'published') {
    context.trail.accepted(attempt.audit);
    sendJson(res, 201, attempt.body);
    // The writer has its answer first; who listens is told right after.
    if (attempt.entry !== null) void context.deliver(attempt.entry).catch(context.onFault);
    return;
  }
  const { via, actor, uri, nonce, code, extra } = attempt;
  const row = (reason: ProblemCode): AuditEntry => {
    const at = instant(context.live.clock.now());
    return { at, actor, uri, outcome: 'refused', reason, via, count: 1 };
  };
  const replayed = (await context.trail.refused(row(code), nonce)) === 'replayed';
  if (replayed) await context.trail.refused(row('replayed'), null);
  // What was not read of the body must not be taken for the next request.
  if (!req.complete) res.setHeader('connection', 'close');
  sendProblem(res, replayed ? 'replayed' : code, replayed ? {} : extra);
}

async function attemptOf(context: HttpContext, req: IncomingMessage): Promise<Attempt> {
  const early = (code: ProblemCode, extra: ProblemExtra = {}, via: WriterVia = 'none'): Attempt => {
    return { kind: 'refused', code, via, actor: null, uri: null, nonce: null, extra };
  };
  const body = await readJsonRequest(context, req, ONCE);
  if (body.kind === 'refused') return early(body.code, body.extra);
  const writer = await writerOf(context, req, body.bytes);
  if (writer.kind === 'refused') {
    const { code, via, detail } = writer;
    const failure = code === 'unsigned' ? 'missing' : 'bad_signature';
    const headers =
      via === 'hmac' ? {} : { 'www-authenticate': challengeFor(context, failure, SCOPES_OF_A_WRITER) };
    const extra = { ...(detail === undefined ? {} : { detail }), headers };
    const refused =
      code === 'malformed' ? { code, extra } : await refusedCredential(context, req, { code, extra });
    return early(refused.code, refused.extra, via);
  }
  const tooMany = limited(await countedFor(context, req, writer));
  // Its signature is not used up: the very same request is good again when there is room.
  if (tooMany !== null) {
    const { principal, via } = writer;
    return { kind: 'refused', ...tooMany, via, actor: principal.sub, uri: null, nonce: null };
  }
  if (writer.nonce !== null) context.limits.taken(writer.nonce.id);
  return publishFor(context, req, body.bytes, writer);
}

/** The seconds to wait, or null: of the writer, or for a copy of what it signed of whoever sends that. */
async function countedFor(
  { limits }: HttpContext,
  req: IncomingMessage,
  { principal, nonce }: WriterOutcome & { kind: 'writer' },
): Promise<number | null> {
  if (nonce !== null && limits.isCopy(nonce.id)) return limits.failedAuthentication(req.socket.remoteAddress);
  return (await limits.request(principal)) ?? limits.write(principal);
}

async function publishFor(
  context: HttpContext,
  req: IncomingMessage,
  body: Buffer,
  { principal, nonce, via }: WriterOutcome & { kind: 'writer' },
): Promise<Attempt> {
  const refused = (code: ProblemCode, extra: ProblemExtra = {}, uri: string | null = null): Attempt => {
    return { kind: 'refused', code, via, actor: principal.sub, uri, nonce, extra };
  };
  const asked = readDraftRequest(context, req, body, principal);
  if (asked.kind === 'refused') return refused(asked.code, asked.extra);
  const { draft, ifMatch } = asked;
  const { clock } = context.live;
  const request = readRequestKey(single(req, 'idempotency-key'), principal, ifMatch, body, clock.now());
  if (request === 'malformed')
    return refused('malformed', { detail: 'idempotency-key must be 1 to 255 printable characters.' });
  const { uri } = draft.target;
  const outcome = await context.live.publish(principal, {
    draft,
    ifMatch,
    nonce,
    request,
    via,
    quiet: false,
  });
  switch (outcome.kind) {
    case 'published':
    case 'repeated': {
      const entry = outcome.kind === 'published' ? outcome.entry : null;
      return { kind: 'published', body: published(context, outcome.version), entry, audit: outcome.audit };
    }
    case 'idempotency_mismatch':
    case 'replayed':
      return refused(outcome.kind, {}, uri);
    default: {
      const { code, extra } = problemOf(outcome);
      return refused(code, extra, uri);
    }
  }
}

/** What a writer is told of its version. */
function published({ hub, live }: HttpContext, written: FactVersion): Readonly<Record<string, unknown>> {
  const { uri, version, versionHash, prevHash, writtenAt, attestation } = written;
  // A session's stream can be open under a narrower token than the one that subscribed.
  const willHear = (listener: Principal): boolean =>
    speaksOnly(listener) && mayHear(live.partition, listener, written);
  const subscribers = hub.listeners(uri, willHear);
  return { uri, version, versionHash, prevHash, writtenAt, attested: attestation !== null, subscribers };
}

async function writerOf(context: HttpContext, req: IncomingMessage, body: Buffer): Promise<WriterOutcome> {
  const signed = single(req, 'x-unsay-signature') !== null;
  const bearer = single(req, 'authorization') !== null;
  if (signed && bearer) {
    return { kind: 'refused', via: 'none', code: 'malformed', detail: 'Send one credential, not two.' };
  }
  if (signed) return verifySystemSignature(req, body, context.systemKey, context.live.clock, context.system);
  if (!bearer) return { kind: 'refused', via: 'none', code: 'unsigned' };
  const verified = await authenticate(context, req);
  if (verified.kind === 'refused') {
    return {
      kind: 'refused',
      via: 'bearer',
      code: verified.failure === 'missing' ? 'unsigned' : 'bad_signature',
    };
  }
  return { kind: 'writer', via: 'bearer', principal: principalOf(verified.token), nonce: null };
}
