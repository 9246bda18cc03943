import { judgePost } from '../gates/judge-post.ts';
import type { Problem } from '../gates/problem.ts';
import { readPost } from '../gates/read-post.ts';
import { bringUpToDate } from './bring-up-to-date.ts';
import { buildPost, revisionOf } from './build-post.ts';
import { type Action, commitMessage, type RequestId, readMessage, requestId } from './commit-message.ts';
import type { Comparison } from './compare.ts';
import { type PostEntry, pathsOf } from './entry.ts';
import { needsAdmin } from './first-publication.ts';
import type { Actor, Parts } from './parts.ts';

/** What became of a change. */
export type ChangeOutcome =
  | {
      readonly kind: 'done';
      /** The revision that the post has; null when it is gone. */
      readonly revision: string | null;
      /** The one commit of this change; null when the post was so already. */
      readonly commit: string | null;
      /** Whether an earlier request with the same key had done it. */
      readonly replayed: boolean;
    }
  | { readonly kind: 'gate-refused'; readonly problems: readonly Problem[] }
  | { readonly kind: 'first-publish-requires-admin' }
  /** The post is not at the revision that the request was based on. */
  | { readonly kind: 'stale-revision'; readonly current: string | null }
  | { readonly kind: 'no-such-post' }
  /** The same key came before with another request. */
  | { readonly kind: 'idempotency-key-reused' }
  /** Others were faster, again and again. */
  | { readonly kind: 'busy' };

/** A change that somebody asks for. */
export interface ChangeRequest {
  readonly actor: Actor;
  readonly slug: string;
  readonly baseRevision: string | null;
  readonly idempotencyKey: string;
}

/** What a post is before a change. */
interface Before {
  readonly revision: string | null;
  readonly entry: PostEntry | undefined;
  readonly markdown: () => Promise<string>;
}

/** What is to be committed, or why nothing is. */
type Decision =
  | {
      readonly kind: 'commit';
      readonly revision: string | null;
      readonly files: ReadonlyMap<string, string | null>;
    }
  | ChangeOutcome;

interface Change {
  readonly action: Action;
  readonly slug: string;
  readonly actor: Actor;
  readonly request: RequestId | null;
  decide(before: Before): Decision | Promise<Decision>;
}

const MOST_TRIES = 8;

/** Saves a post: the gates, the base revision, the rule of first publication, one commit, then the copies. */
export async function savePost(
  parts: Parts,
  { actor, slug, baseRevision, idempotencyKey, markdown }: ChangeRequest & { readonly markdown: string },
): Promise<ChangeOutcome> {
  const judged = judgePost(slug, markdown);
  if (judged.kind === 'refused') return { kind: 'gate-refused', problems: judged.problems };
  return change(parts, {
    action: 'save',
    slug,
    actor,
    request: requestId(actor, idempotencyKey, ['save', slug, baseRevision, markdown]),
    decide({ revision, entry }) {
      if (revision !== baseRevision) return { kind: 'stale-revision', current: revision };
      if (needsAdmin(judged.post.frontMatter.status, entry, actor))
        return { kind: 'first-publish-requires-admin' };
      const built = buildPost(slug, markdown, judged.post, {
        firstPublished: entry?.firstPublished ?? null,
        at: parts.now(),
      });
      if (revision === built.entry.revision && revision === entry?.revision) return unchanged(revision);
      return { kind: 'commit', revision: built.entry.revision, files: built.files };
    },
  });
}

/** Deletes a post and what was built from it. */
export function deletePost(
  parts: Parts,
  { actor, slug, baseRevision, idempotencyKey }: ChangeRequest,
): Promise<ChangeOutcome> {
  return change(parts, {
    action: 'delete',
    slug,
    actor,
    request: requestId(actor, idempotencyKey, ['delete', slug, baseRevision]),
    decide({ revision }) {
      if (revision === null) return { kind: 'no-such-post' };
      if (revision !== baseRevision) return { kind: 'stale-revision', current: revision };
      const files = new Map(Object.values(pathsOf(slug)).map((path) => [path, null]));
      return { kind: 'commit', revision: null, files };
    },
  });
}

/** Publishes exactly the revision that an admin has seen, and records that it went live. */
export function publishPost(
  parts: Parts,
  {
    label,
    slug,
    revision: seen,
  }: { readonly label: string; readonly slug: string; readonly revision: string },
): Promise<ChangeOutcome> {
  return change(parts, {
    action: 'publish',
    slug,
    actor: { role: 'admin', label },
    request: null,
    async decide({ revision, entry, markdown }) {
      if (revision === null) return { kind: 'no-such-post' };
      if (revision !== seen) {
        // An earlier try may have done it and died before it could say so.
        const isDone = entry?.revision === revision && entry.firstPublished !== null;
        const [text] = isDone ? (await parts.repository.read([seen])).values() : [];
        const post = text === undefined ? null : readPost(text);
        const published = post?.kind === 'read' ? revisionOf(post.withStatus('published')) : null;
        return published === revision ? unchanged(revision) : { kind: 'stale-revision', current: revision };
      }
      const draft = judgePost(slug, await markdown());
      if (draft.kind === 'refused') return { kind: 'gate-refused', problems: draft.problems };
      const next = draft.post.withStatus('published');
      const judged = judgePost(slug, next);
      if (judged.kind === 'refused') return { kind: 'gate-refused', problems: judged.problems };
      const at = parts.now();
      const now = { at: new Date(at).toISOString(), by: 'admin' as const };
      const built = buildPost(slug, next, judged.post, { firstPublished: entry?.firstPublished ?? now, at });
      const isLive = entry?.revision === built.entry.revision && entry.firstPublished !== null;
      if (isLive) return unchanged(built.entry.revision);
      return { kind: 'commit', revision: built.entry.revision, files: built.files };
    },
  });
}

function unchanged(revision: string): ChangeOutcome {
  return { kind: 'done', revision, commit: null, replayed: false };
}

/**
 * One change of one post. What a killed change left behind is completed first; then the change is decided on the
 * very commit that it is made to follow, so that nothing can come in between.
 */
function change(parts: Parts, asked: Change): Promise<ChangeOutcome> {
  return parts.inTurn(() => tryChange(parts, asked));
}

async function tryChange(
  parts: Parts,
  { action, slug, actor, request, decide }: Change,
): Promise<ChangeOutcome> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const found = await bringUpToDate(parts);
    const earlier = request === null ? null : await answered(parts, request);
    if (earlier !== null) return earlier;
    const decision = await decide(before(parts, found, slug));
    if (decision.kind !== 'commit') return decision;
    const { revision, files } = decision;
    const outcome = await parts.repository.commit({
      parent: found.head,
      files,
      message: commitMessage({ action, slug, actor, revision, request }),
      author: actor.label,
      at: parts.now(),
    });
    if (outcome.kind === 'stale') continue;
    await bringUpToDate(parts);
    return { kind: 'done', revision, commit: outcome.commit, replayed: false };
  }
  return { kind: 'busy' };
}

function before({ repository }: Parts, { posts, entries }: Comparison, slug: string): Before {
  const revision = posts.get(slug)?.revision ?? null;
  const blob = revision ?? '';
  return {
    revision,
    entry: entries.get(slug),
    markdown: async () => (await repository.read([blob])).get(blob) ?? '',
  };
}

/** What the same request did earlier; null when it never came this far. */
async function answered({ database, repository }: Parts, request: RequestId): Promise<ChangeOutcome | null> {
  const row = await database
    .prepare('SELECT fingerprint, commit_id FROM requests WHERE id = ?')
    .bind(request.id)
    .first<{ fingerprint: string; commit_id: string }>();
  if (row === null) return null;
  if (row.fingerprint !== request.fingerprint) return { kind: 'idempotency-key-reused' };
  const [record] = await repository.log({ until: row.commit_id, limit: 1 });
  const revision = record === undefined ? null : readMessage(record.message).revision;
  return { kind: 'done', revision, commit: row.commit_id, replayed: true };
}
