import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StartedPress, startPress } from '../testing/start-press.ts';
import { judgePost } from './gates/judge-post.ts';

const guide = readFileSync(new URL('../../../docs/guides/publish.md', import.meta.url), 'utf8');
const block = (language: string): string =>
  new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm').exec(guide)?.[1] ?? '';

interface Guide {
  saveDraft(press: string, token: string, slug: string, markdown: string): Promise<string>;
}

let press: StartedPress;
beforeAll(async () => {
  press = await startPress();
});
afterAll(() => press.close());

describe('the guide', () => {
  it('shows a post that passes the gates', () => {
    expect(judgePost('fog', block('md'))).toMatchObject({ kind: 'passed' });
  });

  it('has code that saves a draft, and one upon it, and says why when it cannot', async () => {
    const code = stripTypeScriptTypes(block('ts'));
    const { saveDraft } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as Guide;
    const token = await press.operatorToken('writer');
    const first = await saveDraft(press.url, token, 'fog', block('md'));
    const second = await saveDraft(press.url, token, 'fog', `${block('md')}More.\n`);
    expect(second).not.toBe(first);
    const live = block('md').replace('draft', 'published');
    await expect(saveDraft(press.url, token, 'fog', live)).rejects.toThrow('an admin');
    await expect(saveDraft(press.url, token, 'fog', 'x')).rejects.toThrow('Rule fence at line 1');
  });
});
