import type { McpApplication, PromptEntry, PromptOutcome } from '../application.ts';
import type { InputRequired, InteractivePrompt } from '../interaction.ts';
import { isStringRecord } from './completion.ts';
import { inputRequired, invalidParams, type Method } from './outcome.ts';

export function listPrompts<P>({ prompts, interactive }: McpApplication<P>): Method<P> {
  const speaking = (interactive?.prompts ?? []).map(described);
  return async (principal) => ({
    kind: 'result',
    result: { prompts: [...(prompts?.list(principal) ?? []), ...speaking] },
  });
}

export function getPrompt<P>({ prompts, interactive }: McpApplication<P>): Method<P> {
  const speaking = new Map((interactive?.prompts ?? []).map((prompt) => [prompt.name, prompt]));

  return async (principal, params, exchange) => {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') return invalidParams('name must be a string');
    if (!isStringRecord(args)) return invalidParams('arguments must be an object whose values are strings');
    const prompt = speaking.get(name);
    let outcome: PromptOutcome | InputRequired;
    if (prompt === undefined) {
      outcome = (await prompts?.get(principal, name, args)) ?? { kind: 'absent' };
    } else {
      if (exchange === undefined) throw new Error(`${name} was asked for where it cannot speak`);
      outcome = await prompt.get(principal, args, exchange);
    }
    switch (outcome.kind) {
      case 'found':
        return { kind: 'result', result: { ...outcome.result } };
      case 'absent':
        return invalidParams(`Prompt not found: ${name}`);
      case 'bad_argument':
        return invalidParams(outcome.message);
      case 'input_required':
        return inputRequired(outcome, exchange);
    }
  };
}

function described<P>({ get: _get, ...entry }: InteractivePrompt<P>): PromptEntry {
  return entry;
}
