import type { PromptMethods } from '../application.ts';
import { isStringRecord } from './completion.ts';
import { invalidParams, type Method } from './outcome.ts';

export function listPrompts<P>(prompts: PromptMethods<P>): Method<P> {
  return async (principal) => ({ kind: 'result', result: { prompts: prompts.list(principal) } });
}

export function getPrompt<P>(prompts: PromptMethods<P>): Method<P> {
  return async (principal, params) => {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') return invalidParams('name must be a string');
    if (!isStringRecord(args)) return invalidParams('arguments must be an object whose values are strings');
    const outcome = await prompts.get(principal, name, args);
    switch (outcome.kind) {
      case 'found':
        return { kind: 'result', result: { ...outcome.result } };
      case 'absent':
        return invalidParams(`Prompt not found: ${name}`);
      case 'bad_argument':
        return invalidParams(outcome.message);
    }
  };
}
