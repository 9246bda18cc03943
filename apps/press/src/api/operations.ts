import { judgePost } from '../gates/judge-post.ts';
import type { Problem } from '../gates/problem.ts';
import { readPost } from '../gates/read-post.ts';
import { type ChangeOutcome, deletePost, savePost } from '../posts/change-post.ts';
import { needsAdmin } from '../posts/first-publication.ts';
import type { Actor, Parts } from '../posts/parts.ts';
import { getPost, listPosts, postHistory } from '../posts/read-posts.ts';
import { postStatus } from '../posts/status.ts';
import type { ProblemCode, ProblemExtra } from './problems.ts';
import type { Operation, OperatorRequest } from './requests.ts';

/** What an operation answers. */
export type OperationOutcome =
  | {
      readonly kind: 'answer';
      readonly answer: Readonly<Record<string, unknown>>;
      readonly commit?: string | null;
    }
  | { readonly kind: 'problem'; readonly code: ProblemCode; readonly extra: ProblemExtra };

type Asked<Name extends Operation> = Extract<OperatorRequest, { operation: Name }>;

type Operations = {
  readonly [Name in Operation]: (parts: Parts, actor: Actor, asked: Asked<Name>) => Promise<OperationOutcome>;
};

const NO_SUCH_POST: OperationOutcome = { kind: 'problem', code: 'no-such-post', extra: {} };

const operations: Operations = {
  async list(parts, _actor, { limit = 50, ...asked }) {
    const { posts, next } = await listPosts(parts, { ...asked, limit });
    const more = next === null ? 'There are no more.' : 'Use list with after for more.';
    return answer('list', { message: `${counted(posts.length, 'post')}. ${more}`, posts, next });
  },

  async get(parts, _actor, { slug, revision }) {
    const found = await getPost(parts, slug, revision ?? null);
    if (found === null) return NO_SUCH_POST;
    const { entry, ...post } = found;
    const message = found.current
      ? 'This is the post as it is now. Base a change on its revision.'
      : 'This is an older text of the post. Base a change on the revision that get gives without one.';
    return answer('get', { message, ...post, post: entry });
  },

  async save(parts, actor, { operation: _, ...asked }) {
    const outcome = await savePost(parts, { actor, ...asked });
    if (outcome.kind !== 'done') return refusal(outcome);
    const { revision, commit, replayed } = outcome;
    const post = readPost(asked.markdown);
    const status = post.kind === 'read' ? post.frontMatter.status : 'draft';
    const { slug } = asked;
    return answer(
      'save',
      { message: savedMessage(outcome, status), slug, status, revision, commit, replayed },
      commit,
    );
  },

  async delete(parts, actor, { operation: _, ...asked }) {
    const outcome = await deletePost(parts, { actor, ...asked });
    if (outcome.kind !== 'done') return refusal(outcome);
    const { commit, replayed } = outcome;
    const message = replayed
      ? 'An earlier request with this key had deleted the post; nothing more was done.'
      : 'The post is deleted and off the site. Its history stays.';
    return answer('delete', { message, slug: asked.slug, commit, replayed }, commit);
  },

  async status(parts) {
    return answer('status', { ...(await postStatus(parts)) });
  },

  async check(parts, actor, { slug, markdown }) {
    const judged = judgePost(slug, markdown);
    if (judged.kind === 'refused') {
      const { problems } = judged;
      const message = `A save would be refused. ${summaryOf(problems)} Mend each of the problems, then check again.`;
      return answer('check', { message, slug, passes: false, problems, needsAdmin: false });
    }
    const found = await getPost(parts, slug, null);
    const needs = needsAdmin(judged.post.frontMatter.status, found?.entry ?? undefined, actor);
    const message = needs
      ? 'The post passes every gate, but has never been live: save it with status: draft, and an admin must publish it.'
      : 'The post passes every gate. Use save to save it.';
    return answer('check', { message, slug, passes: true, problems: [], needsAdmin: needs });
  },

  async history(parts, _actor, { slug, limit = 20 }) {
    const { revisions, more } = await postHistory(parts, slug, limit);
    if (revisions.length === 0) return NO_SUCH_POST;
    const message = `${counted(revisions.length, 'change')}, newest first. Use get with a revision to read that text.`;
    return answer('history', { message, slug, more, revisions });
  },
};

/** Carries out an operation. */
export function operate(parts: Parts, actor: Actor, request: OperatorRequest): Promise<OperationOutcome> {
  // The table has, for each operation, the function that takes its own request.
  const run = operations[request.operation] as (
    parts: Parts,
    actor: Actor,
    asked: OperatorRequest,
  ) => Promise<OperationOutcome>;
  return run(parts, actor, request);
}

function answer(
  operation: Operation,
  members: Readonly<Record<string, unknown>>,
  commit: string | null = null,
): OperationOutcome {
  return { kind: 'answer', answer: { operation, ...members }, commit };
}

function refusal(outcome: Exclude<ChangeOutcome, { kind: 'done' }>): OperationOutcome {
  const extra: ProblemExtra =
    outcome.kind === 'gate-refused'
      ? { detail: summaryOf(outcome.problems), problems: outcome.problems }
      : outcome.kind === 'stale-revision'
        ? { detail: staleDetail(outcome.current), currentRevision: outcome.current }
        : {};
  return { kind: 'problem', code: outcome.kind, extra };
}

function staleDetail(current: string | null): string {
  return current === null
    ? 'There is no such post now; a baseRevision of null creates it.'
    : `The current revision is ${current}.`;
}

function summaryOf(problems: readonly Problem[]): string {
  const [first, ...others] = problems;
  if (first === undefined) return '';
  const { rule, line, column, message } = first;
  const where = first.in === 'slug' ? `the slug, column ${column}` : `line ${line}, column ${column}`;
  const more =
    others.length === 0
      ? ''
      : ` There ${others.length === 1 ? 'is 1 more problem' : `are ${others.length} more problems`}.`;
  return `Rule ${rule} at ${where}: ${message}${more}`;
}

function savedMessage(
  { commit, replayed }: Extract<ChangeOutcome, { kind: 'done' }>,
  status: 'draft' | 'published',
): string {
  if (replayed) return 'An earlier request with this key had saved the post; nothing more was done.';
  if (commit === null) return 'The post was exactly so already; nothing was changed.';
  return status === 'published'
    ? 'The post is saved and live.'
    : 'The draft is saved; it is not on the site. To go live the first time it needs an admin, who must publish this revision.';
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
