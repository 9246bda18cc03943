import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { type Principal, parseSubject, type Topic, type VerifiedVersion } from '@unsay/live-resources';
import { SCOPES } from '../domain/care-partition.ts';
import { authenticate, challengeFor, principalOf, tokenProblem } from './authentication.ts';
import type { HttpContext } from './context.ts';
import { sendJson, sendProblem } from './problem.ts';
import { limited, refusedCredential } from './rate-limit.ts';

/**
 * `GET /verify`: replays the chains that the caller may read. Without a token that is the speakable lanes of
 * public subjects; a token that is no good is refused, never taken for none. A subject or topic that does
 * not exist, or is not the caller's, has no chains.
 */
export async function handleVerify(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
): Promise<void> {
  const verified = await authenticate(context, req);
  // Whoever sends a credential of any kind expects it to count.
  if (verified.kind === 'refused' && req.headers.authorization !== undefined) {
    const headers = { 'www-authenticate': challengeFor(context, verified.failure, [SCOPES.readUser]) };
    const extra = { headers, next: tokenProblem(verified.failure).next };
    const refused = await refusedCredential(context, req, { code: 'bad_signature', extra });
    return sendProblem(res, refused.code, refused.extra);
  }
  const principal = verified.kind === 'verified' ? principalOf(verified.token) : context.anonymous;
  const tooMany = verified.kind === 'verified' ? limited(await context.limits.request(principal)) : null;
  if (tooMany !== null) return sendProblem(res, tooMany.code, tooMany.extra);
  const chains =
    principal === context.anonymous
      ? await publicChains(context, url.searchParams)
      : await chainsFor(context, principal, url.searchParams);
  sendJson(res, 200, { chains });
}

const replays = new WeakMap<HttpContext, Map<string, Promise<unknown[]>>>();

/**
 * What strangers are shown. Nobody counts them, and each replay takes as long as the history is, so whoever asks for
 * the same while one is under way is given what comes of that one.
 */
function publicChains(context: HttpContext, query: URLSearchParams): Promise<unknown[]> {
  const underWay = replays.get(context) ?? new Map<string, Promise<unknown[]>>();
  replays.set(context, underWay);
  const key = JSON.stringify([query.get('subject'), query.get('topic')]);
  const known = underWay.get(key);
  if (known !== undefined) return known;
  const replay = chainsFor(context, context.anonymous, query).finally(() => underWay.delete(key));
  underWay.set(key, replay);
  return replay;
}

async function chainsFor(
  context: HttpContext,
  principal: Principal,
  query: URLSearchParams,
): Promise<unknown[]> {
  const [subject, topic] = ['subject', 'topic'].map((name) => query.get(name));
  const asked = [subject, topic].filter((name) => name !== null && name !== undefined);
  if (asked.some((name) => parseSubject(name) === null)) return [];
  const chains: unknown[] = [];
  const filter = { subject: subject ? parseSubject(subject) : null, topic: (topic ?? null) as Topic | null };
  let versions: unknown[] = [];
  for await (const part of context.live.verify(principal, filter)) {
    versions.push(...part.versions.map(wireVersion));
    // A long replay gives everybody else a turn between its parts.
    await setImmediate();
    if (part.verdict === null) continue;
    chains.push({ uri: part.uri, versions, ...part.verdict });
    versions = [];
  }
  return chains;
}

function wireVersion(verified: VerifiedVersion): unknown {
  const { version, kind, versionHash, prevHash, writtenAt, attested, seal } = verified;
  return { version, kind, versionHash, prevHash, writtenAt, attested, sealed: seal };
}
