import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { ContentBlock, McpApplication, ToolDescription, ToolOutcome } from '../application.ts';
import type { InputRequired } from '../interaction.ts';
import { isJsonObject, type JsonObject } from '../json.ts';
import {
  inputRequired,
  invalidParams,
  type Method,
  type MethodOutcome,
  type OpenExchange,
} from './outcome.ts';

/** A tool of either kind, with what they differ in hidden. */
interface KnownTool<P> {
  readonly description: ToolDescription;
  readonly problemWith: (args: JsonObject) => Promise<string | undefined>;
  call(
    principal: P,
    args: JsonObject,
    exchange: OpenExchange | undefined,
  ): Promise<ToolOutcome | InputRequired>;
}

export function listTools<P>(application: McpApplication<P>): Method<P> {
  const tools = knownTools(application).map(({ description }) => description);
  return async () => ({ kind: 'result', result: { tools } });
}

export function callTool<P>(application: McpApplication<P>): Method<P> {
  const known = new Map(knownTools(application).map((tool) => [tool.description.name, tool]));
  return async (principal, params, exchange) => {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') return invalidParams('name must be a string');
    if (!isJsonObject(args)) return invalidParams('arguments must be an object');
    const tool = known.get(name);
    if (tool === undefined) return invalidParams(`Unknown tool: ${name}`);
    // The specification wants this as a result, not an error: the model reads it and tries again (SEP-1303).
    const problem = await tool.problemWith(args);
    if (problem !== undefined) return refusal([{ type: 'text', text: problem }]);
    return written(await tool.call(principal, args, exchange), exchange);
  };
}

function knownTools<P>({ tools = [], interactive }: McpApplication<P>): KnownTool<P>[] {
  const plain = tools.map((tool): KnownTool<P> => {
    const { call: _call, ...description } = tool;
    return {
      description,
      problemWith: argumentCheck(description),
      call: (principal, args) => tool.call(principal, args),
    };
  });
  const speaking = (interactive?.tools ?? []).map((tool): KnownTool<P> => {
    const { call: _call, ...description } = tool;
    return {
      description,
      problemWith: argumentCheck(description),
      call: async (principal, args, exchange) => {
        if (exchange === undefined) throw new Error(`${tool.name} was called where it cannot speak`);
        return tool.call(principal, args, exchange);
      },
    };
  });
  return [...plain, ...speaking];
}

async function written(
  outcome: ToolOutcome | InputRequired,
  exchange: OpenExchange | undefined,
): Promise<MethodOutcome> {
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
    case 'input_required':
      return inputRequired(outcome, exchange);
  }
}

function refusal(content: readonly ContentBlock[]): MethodOutcome {
  return { kind: 'result', result: { content, isError: true } };
}

/** Compiles the schema at the first call: a server that starts has better things to do. */
function argumentCheck(tool: ToolDescription): (args: JsonObject) => Promise<string | undefined> {
  let schema: ReturnType<typeof fromJsonSchema> | undefined;
  return async (args) => {
    schema ??= fromJsonSchema({ ...tool.inputSchema });
    const { issues } = await schema['~standard'].validate(args);
    if (issues === undefined) return undefined;
    return `Invalid arguments for ${tool.name}: ${issues.map((issue) => issue.message).join('; ')}`;
  };
}
