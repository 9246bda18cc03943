import { expect, test } from 'vitest';
import { readProblem } from './problem.ts';

test('a refusal keeps its code, its detail and what to do next', async () => {
  const body = { code: 'head_moved', title: 'Moved', detail: 'The head is now version 3.', next: 'Read it.' };
  const problem = await readProblem(new Response(JSON.stringify(body), { status: 409 }));
  expect(problem).toEqual({
    status: 409,
    code: 'head_moved',
    detail: 'The head is now version 3.',
    next: 'Read it.',
  });
});

test.each(['', '<html>no</html>', 'null', '[]', '{"code":7}'])('%j is still one sentence', async (body) => {
  const problem = await readProblem(new Response(body, { status: 502 }));
  expect(problem).toEqual({ status: 502, code: 'unknown', detail: 'The server answered 502.', next: '' });
});
