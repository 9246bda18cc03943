import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type StartedPress, startPress } from '../../testing/start-press.ts';
import { STEPS, type Step } from '../../testing/steps.ts';
import { samplePost } from '../../testing/temporary-parts.ts';
import { publishPost } from './change-post.ts';

const CHILD = fileURLToPath(new URL('../../testing/killed-press.ts', import.meta.url));
const SLUG = 'fog';

let folder = '';
let token = '';
let live = '';

const git = (...args: string[]) =>
  execFileSync('git', ['--git-dir', join(folder, 'posts.git'), ...args], { encoding: 'utf8' }).trim();
const commits = () => Number(git('rev-list', '--count', 'main'));

/** Starts Press on the folder, uses it, and stops it. */
async function withPress<Result>(use: (press: StartedPress) => Promise<Result>): Promise<Result> {
  const press = await startPress({ folder });
  try {
    return await use(press);
  } finally {
    await press.close();
  }
}

/** A live post, and an operator. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'press-crash-'));
  await withPress(async (press) => {
    token = await press.operatorToken('writer');
    const draft = await press.operate(token, save(samplePost('draft', 'Before.'), null, 'first-key'));
    const published = await publishPost(press.parts, {
      label: 'boss',
      slug: SLUG,
      revision: String(draft.body.revision),
    });
    live = published.kind === 'done' ? String(published.revision) : '';
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function save(markdown: string, baseRevision: string | null, idempotencyKey: string) {
  return { operation: 'save', slug: SLUG, markdown, baseRevision, idempotencyKey };
}

const away = () => ({ operation: 'delete', slug: SLUG, baseRevision: live, idempotencyKey: 'second-key' });
const change = () => save(samplePost('published', 'Lighthouse.'), live, 'second-key');
const takeDown = () => save(samplePost('draft', 'Lighthouse.'), live, 'second-key');

/** Sends a request to a Press that is killed at a step of it, and waits until that process and its git are gone. */
async function killAt(step: Step, request: unknown): Promise<void> {
  const child = spawn(process.execPath, [CHILD, folder, step], { stdio: ['ignore', 'pipe', 'inherit'] });
  const closed = once(child, 'close');
  for await (const url of createInterface({ input: child.stdout })) {
    await fetch(`${url}/api/operator`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
    }).then(
      (response) => expect.unreachable(`it answered ${response.status}`),
      () => undefined,
    );
    break;
  }
  expect(await closed).toEqual([null, 'SIGKILL']);
}

/** Whether the killed commit is there: what died with git on its way may have happened or not. */
const isCommitted = (before: number) => commits() === before + 1;

describe.each([
  ['a change of a live post', change],
  ['taking a post down', takeDown],
  ['a deletion', away],
])('%s', (_name, request) => {
  it.each(STEPS)(
    'killed %s is named by status, and completed by a retry with no second commit',
    async (step) => {
      const before = commits();
      await killAt(step, request());
      const committed = isCommitted(before);
      if (step === 'before the commit') expect(committed).toBe(false);
      else if (step !== 'during the commit') expect(committed).toBe(true);
      git('fsck', '--strict');
      await withPress(async (press) => {
        const status = await press.operate(token, { operation: 'status' });
        const behind = { 'after the commit': ['database', 'index'], 'after the database': ['index'] }[
          step as string
        ];
        if (step !== 'during the commit')
          expect((status.body.divergences as { where: string }[]).map(({ where }) => where)).toEqual(
            behind ?? [],
          );
        expect(status.body.inSync).toBe((status.body.divergences as unknown[]).length === 0);
        if (behind !== undefined) expect(status.body.message).toContain(SLUG);
        const answer = await press.operate(token, request());
        // While git was on its way it may still have won against the retry, which then finds its own commit.
        expect(answer.status).toBe(200);
        if (step !== 'during the commit') expect(answer.body.replayed).toBe(committed);
        expect(commits()).toBe(before + 1);
        expect((await press.operate(token, { operation: 'status' })).body).toMatchObject({ inSync: true });
        const shows = request === change ? 200 : 404;
        expect((await fetch(`${press.url}/posts/${SLUG}`)).status).toBe(shows);
        const found = await (await fetch(`${press.url}/search?q=lighthouse`)).text();
        expect(found.includes(`/posts/${SLUG}`)).toBe(request === change);
        expect(await press.operate(token, request())).toMatchObject({
          body: { replayed: true, commit: answer.body.commit },
        });
        expect(commits()).toBe(before + 1);
      });
    },
  );
});

describe('after a kill', () => {
  it('another operator’s save completes what was left, and the retry still finds it', async () => {
    await killAt('after the commit', change());
    await withPress(async (press) => {
      const other = await press.operatorToken('other');
      const request = { ...save(samplePost('draft', 'Tide.'), null, 'third-key'), slug: 'tide' };
      expect((await press.operate(other, request)).status).toBe(200);
      expect((await press.operate(token, { operation: 'status' })).body).toMatchObject({ inSync: true });
      const before = commits();
      expect((await press.operate(token, change())).body).toMatchObject({ replayed: true });
      expect(commits()).toBe(before);
    });
  });

  it('reading gives what was committed, so that nobody is led to overwrite it', async () => {
    await killAt('after the commit', change());
    await withPress(async (press) => {
      const { body } = await press.operate(token, { operation: 'get', slug: SLUG });
      expect(body.markdown).toBe(samplePost('published', 'Lighthouse.'));
      const listed = await press.operate(token, { operation: 'list' });
      expect(listed.body.posts).toMatchObject([{ slug: SLUG, revision: body.revision }]);
    });
  });

  it('a post that was taken down is not found by its words, even before the index knows', async () => {
    await killAt('after the database', save(samplePost('draft', 'Before.'), live, 'second-key'));
    await withPress(async (press) => {
      expect(await (await fetch(`${press.url}/search?q=before`)).text()).not.toContain(`/posts/${SLUG}`);
    });
  });

  it('a post that was changed is not found by words that it no longer has, even before the index knows', async () => {
    await killAt('after the database', change());
    await withPress(async (press) => {
      expect(await (await fetch(`${press.url}/search?q=before`)).text()).not.toContain(`/posts/${SLUG}`);
    });
  });

  it('of a database that was lost, everything but tokens comes back from the repository', async () => {
    await killAt('after the commit', change());
    for (const file of ['press.db', 'press.db-wal', 'press.db-shm'])
      rmSync(join(folder, file), { force: true });
    await withPress(async (press) => {
      token = await press.operatorToken('writer');
      expect((await fetch(`${press.url}/posts/${SLUG}`)).status).toBe(200);
      const before = commits();
      expect((await press.operate(token, change())).body).toMatchObject({ replayed: true });
      expect(commits()).toBe(before);
    });
  });
});
