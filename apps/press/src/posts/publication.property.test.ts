import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type StartedPress, startPress } from '../../testing/start-press.ts';
import { samplePost } from '../../testing/temporary-parts.ts';
import { revisionOf } from './build-post.ts';
import { publishPost } from './change-post.ts';

const SLUGS = ['fog', 'tide'] as const;
type Slug = (typeof SLUGS)[number];
type Status = 'draft' | 'published';

/** What a post should be: its text, whether it is to be seen, and whether an admin has let this post go live. */
interface Model {
  readonly text: string;
  readonly status: Status;
  readonly approved: boolean;
}

type Move =
  | {
      readonly kind: 'save';
      readonly slug: Slug;
      readonly status: Status;
      readonly text: string;
      readonly stale: boolean;
    }
  | { readonly kind: 'delete' | 'publish'; readonly slug: Slug; readonly stale: boolean };

const slug = fc.constantFrom(...SLUGS);
const stale = fc.integer({ min: 0, max: 4 }).map((each) => each === 0);
const move: fc.Arbitrary<Move> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('save' as const),
      slug,
      status: fc.constantFrom('draft', 'published'),
      text: fc.constantFrom('Fog.', 'Tide.', 'An admin has approved this.'),
      stale,
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('publish' as const), slug, stale }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const), slug, stale }) },
);

const revision = (model: Model | undefined): string | null =>
  model === undefined ? null : revisionOf(samplePost(model.status, model.text));

/** What the rules say of a move: the outcome, and what the post is then. */
function judged(
  now: Model | undefined,
  { kind, stale: isStale, ...rest }: Move,
): [string, Model | undefined] {
  if (kind === 'save') {
    const { status, text } = rest as { status: Status; text: string };
    const approved = now?.approved ?? false;
    if (isStale) return ['stale-revision', now];
    if (status === 'published' && !approved) return ['first-publish-requires-admin', now];
    return ['done', { status, text, approved }];
  }
  if (now === undefined) return ['no-such-post', now];
  if (isStale) return ['stale-revision', now];
  return kind === 'delete' ? ['done', undefined] : ['done', { ...now, status: 'published', approved: true }];
}

let number = 0;

async function made(
  press: StartedPress,
  token: string,
  asked: Move,
  now: Model | undefined,
): Promise<string> {
  const base = asked.stale ? 'f'.repeat(40) : revision(now);
  if (asked.kind === 'publish') {
    const outcome = await publishPost(press.parts, { label: 'boss', slug: asked.slug, revision: base ?? '' });
    return outcome.kind;
  }
  const change =
    asked.kind === 'save'
      ? { operation: 'save', markdown: samplePost(asked.status, asked.text) }
      : { operation: 'delete' };
  const request = {
    ...change,
    slug: asked.slug,
    baseRevision: base ?? (asked.kind === 'save' ? null : 'f'.repeat(40)),
  };
  const { status, body } = await press.operate(token, { ...request, idempotencyKey: `property-${number++}` });
  return status === 200 ? 'done' : String(body.code);
}

describe('whatever operators and admins do, in any order', () => {
  it('a post is live only if an admin let it, every move is answered by the rules, and all copies agree', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 12 }), async (moves) => {
        const press = await startPress();
        try {
          const token = await press.operatorToken('writer');
          const models = new Map<Slug, Model>();
          for (const asked of moves) {
            const now = models.get(asked.slug);
            const [expected, next] = judged(now, asked);
            expect(await made(press, token, asked, now)).toBe(expected);
            if (next === undefined) models.delete(asked.slug);
            else models.set(asked.slug, next);
          }
          for (const each of SLUGS) {
            const model = models.get(each);
            const { status } = await fetch(`${press.url}/posts/${each}`);
            expect(status).toBe(model?.status === 'published' && model.approved ? 200 : 404);
            const found = await press.operate(token, { operation: 'get', slug: each });
            expect(found.body.revision ?? null).toBe(revision(model));
          }
          expect((await press.operate(token, { operation: 'status' })).body).toMatchObject({ inSync: true });
          expect(press.faults).toEqual([]);
        } finally {
          await press.close();
        }
      }),
      { numRuns: 15 },
    );
  });
});
