import { expect, it } from 'vitest';
import { run } from '../harness/running-server.ts';

it('tells the whole story, plain where there is no terminal, and says that every step held', async () => {
  const { code, stdout, stderr } = await run('npm', ['run', '--silent', 'e2e'], process.env);
  expect(stdout.trimEnd().split('\n').at(-1), stdout + stderr).toMatch(/^\d+ steps held$/);
  expect(code).toBe(0);
  expect(stdout).not.toContain('\u001b');
}, 120_000);
