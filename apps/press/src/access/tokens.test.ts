import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StartedPress, startPress } from '../../testing/start-press.ts';
import { samplePost } from '../../testing/temporary-parts.ts';
import { commitMessage, readMessage, tagOf } from '../posts/commit-message.ts';

let press: StartedPress;
beforeAll(async () => {
  press = await startPress();
});
afterAll(() => press.close());

const git = (...args: string[]) =>
  execFileSync('git', ['--git-dir', join(press.folder, 'posts.git'), ...args], { encoding: 'utf8' });

describe('a token', () => {
  it('is stored as a hash alone, and is in no file and no commit', async () => {
    const token = await press.operatorToken('hashed');
    const request = {
      operation: 'save',
      slug: 'hashed',
      markdown: samplePost('draft'),
      baseRevision: null,
      idempotencyKey: 'a-key-for-this',
    };
    expect((await press.operate(token, request)).status).toBe(200);
    const stored = ['press.db', 'press.db-wal'].map((file) => readFileSync(join(press.folder, file)));
    const secret = token.slice('press_'.length);
    expect(stored.some((bytes) => bytes.includes('hashed'))).toBe(true);
    expect(stored.some((bytes) => bytes.includes(secret))).toBe(false);
    expect(git('log', '--format=%an %cn %B')).not.toContain(secret.slice(0, 8));
  });

  it('has a tag that follows from its label, the same for another token of that label', async () => {
    await press.operatorToken('again');
    expect(await press.parts.tokens.revoke('again')).toBe(true);
    const token = await press.operatorToken('again');
    const request = {
      operation: 'save',
      slug: 'tagged',
      markdown: samplePost('draft'),
      baseRevision: null,
      idempotencyKey: 'a-key-for-this',
    };
    await press.operate(token, request);
    expect(git('log', '-1', '--format=%s').trim()).toBe(
      `Save tagged ${tagOf({ role: 'operator', label: 'again' })}`,
    );
    expect(git('log', '-1', '--format=%s').trim()).toMatch(/ \[operator:[0-9a-f]{8}\]$/);
  });

  it.each([
    'a\nb',
    'a\n\nPress-Action: publish',
    'a]',
    '[admin:00000000]',
    'Press-Label: x',
    'a: b',
    'A',
    ' a',
    'a ',
    '-a',
    '',
    'a\0',
    'a\u2028b',
    '<a@b>',
    '../a',
    'a'.repeat(41),
  ])('cannot be labelled %j', async (label) => {
    expect(await press.parts.tokens.add('operator', label)).toMatchObject({ kind: 'refused' });
  });

  it('of a label is one at a time', async () => {
    await press.operatorToken('once');
    expect(await press.parts.tokens.add('operator', 'once')).toMatchObject({ kind: 'refused' });
    expect(await press.parts.tokens.add('admin', 'once')).toMatchObject({ kind: 'refused' });
    expect(await press.parts.tokens.revoke('nobody')).toBe(false);
  });
});

describe('the message of a commit', () => {
  it('has tags that stay what they are, one for each role and label', () => {
    expect(tagOf({ role: 'operator', label: 'writer' })).toBe('[operator:cb40f39b]');
    expect(tagOf({ role: 'admin', label: 'writer' })).toBe('[admin:1c4528db]');
  });

  it('gives back what was put into it, for every label that a token can have', () => {
    const label = fc.stringMatching(/^[a-z0-9](?:[a-z0-9._-]{0,38}[a-z0-9])?$/);
    const hex = (length: number) =>
      fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
    fc.assert(
      fc.property(
        label,
        fc.constantFrom('save', 'delete', 'publish'),
        fc.option(hex(40)),
        fc.option(fc.record({ id: hex(64), fingerprint: hex(64) })),
        (name, action, revision, request) => {
          const actor = { role: 'operator', label: name } as const;
          const message = commitMessage({ action, slug: 'fog', actor, revision, request });
          expect(readMessage(message)).toEqual({ action, label: name, revision, request });
          expect(message.split('\n')[0]?.endsWith(tagOf(actor))).toBe(true);
        },
      ),
    );
  });
});
