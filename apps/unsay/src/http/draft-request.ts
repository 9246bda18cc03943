import type { IncomingMessage } from 'node:http';
import type { Draft, DraftRefusal, Principal, VersionHash } from '@unsay/live-resources';
import { SCOPES } from '../domain/care-partition.ts';
import { challengeFor } from './authentication.ts';
import type { HttpContext } from './context.ts';
import type { ProblemCode, ProblemExtra } from './problem.ts';
import { readDraft, readIfMatch } from './write-body.ts';
import { single } from './writer-credential.ts';

/** What a writer asks for, or the problem with how it asks. */
export type DraftRequest =
  | { readonly kind: 'draft'; readonly draft: Draft; readonly ifMatch: VersionHash | null }
  | { readonly kind: 'refused'; readonly code: ProblemCode; readonly extra: ProblemExtra };

/** What a challenge asks of whoever wants to write. */
export const SCOPES_OF_A_WRITER = [SCOPES.write, SCOPES.readUser, SCOPES.readAssistant];

/** Reads a draft and its condition from a request whose sender is known. No fact is looked up. */
export function readDraftRequest(
  context: HttpContext,
  req: IncomingMessage,
  body: Buffer,
  principal: Principal,
): DraftRequest {
  if (!principal.scopes.has(SCOPES.write)) {
    const headers = { 'www-authenticate': challengeFor(context, 'insufficient_scope', SCOPES_OF_A_WRITER) };
    return { kind: 'refused', code: 'insufficient_scope', extra: { headers } };
  }
  const ifMatch = readIfMatch(single(req, 'if-match'));
  if (ifMatch === 'malformed') return malformed('if-match must be one quoted version hash.');
  const draft = readDraft(context.live.partition, body);
  return 'fault' in draft ? malformed(draft.fault) : { kind: 'draft', draft, ifMatch };
}

/** How the wire says why a draft is not published. */
export function problemOf(refusal: DraftRefusal): {
  readonly code: ProblemCode;
  readonly extra: ProblemExtra;
} {
  switch (refusal.kind) {
    case 'absent':
      return { code: 'not_found', extra: {} };
    case 'head_moved':
      return { code: 'head_moved', extra: { members: refusal.head === null ? {} : { head: refusal.head } } };
    case 'blob_too_large': {
      const detail = `A blob may have ${refusal.limit} bytes after decoding, and no more.`;
      return { code: 'body_too_large', extra: { detail } };
    }
    case 'insufficient_scope':
    case 'store_rejected':
      return { code: refusal.kind, extra: {} };
  }
}

function malformed(detail: string): DraftRequest {
  return { kind: 'refused', code: 'malformed', extra: { detail } };
}
