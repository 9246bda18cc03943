import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { ContentBlock, ToolEntry, ToolOutcome } from '../application.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import { invalidParams, type Method, type MethodOutcome } from './outcome.ts';

export function listTools<P>(tools: readonly ToolEntry<P>[]): Method<P> {
  const listed = tools.map(({ call: _call, ...described }) => described);
  return async () => ({ kind: 'result', result: { tools: listed } });
}

export function callTool<P>(tools: readonly ToolEntry<P>[]): Method<P> {
  const known = new Map(tools.map((tool) => [tool.name, { tool, problemWith: argumentCheck(tool) }]));
  return async (principal, params) => {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') return invalidParams('name must be a string');
    if (!isJsonObject(args)) return invalidParams('arguments must be an object');
    const found = known.get(name);
    if (found === undefined) return invalidParams(`Unknown tool: ${name}`);
    // The specification wants this as a result, not an error: the model reads it and tries again (SEP-1303).
    const problem = await found.problemWith(args);
    if (problem !== undefined) return refusal([{ type: 'text', text: problem }]);
    return written(await found.tool.call(principal, args));
  };
}

function written(outcome: ToolOutcome): MethodOutcome {
  switch (outcome.kind) {
    case 'ok':
      return {
        kind: 'result',
        result: {
          content: outcome.content,
          ...(outcome.structuredContent !== undefined && { structuredContent: outcome.structuredContent }),
          ...(outcome._meta !== undefined && { _meta: outcome._meta }),
        },
      };
    case 'refused':
      return refusal(outcome.content);
    case 'bad_argument':
      return invalidParams(outcome.message);
  }
}

function refusal(content: readonly ContentBlock[]): MethodOutcome {
  return { kind: 'result', result: { content, isError: true } };
}

/** Compiles the schema at the first call: a server that starts has better things to do. */
function argumentCheck<P>(tool: ToolEntry<P>): (args: JsonObject) => Promise<string | undefined> {
  let schema: ReturnType<typeof fromJsonSchema> | undefined;
  return async (args) => {
    schema ??= fromJsonSchema({ ...tool.inputSchema });
    const { issues } = await schema['~standard'].validate(args);
    if (issues === undefined) return undefined;
    return `Invalid arguments for ${tool.name}: ${issues.map((issue) => issue.message).join('; ')}`;
  };
}
