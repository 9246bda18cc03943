import type { McpApplication } from '../application.ts';
import { completeArgument } from './completion.ts';
import { internalError, type Method } from './outcome.ts';
import { getPrompt, listPrompts } from './prompts.ts';
import { listResources, listTemplates, readResource } from './resources.ts';
import { skillMethods } from './skills.ts';
import { callTool, listTools } from './tools.ts';

/** Everything an application answers that both eras share, by method name. */
export type MethodTable<P> = ReadonlyMap<string, Method<P>>;

/**
 * Builds the table. No method in it throws: what the application throws goes to `onFault`, and the client is
 * told "Internal error", because an exception's message may hold anything.
 */
export function methodTable<P>(
  application: McpApplication<P>,
  onFault: (error: unknown) => void,
): MethodTable<P> {
  const { resources } = application;
  const methods = new Map<string, Method<P>>();
  if (resources !== undefined) {
    methods.set('resources/list', listResources(resources));
    methods.set('resources/templates/list', listTemplates(resources));
    methods.set('resources/read', readResource(resources));
  }
  if (offersPrompts(application)) {
    methods.set('prompts/list', listPrompts(application));
    methods.set('prompts/get', getPrompt(application));
  }
  if (offersTools(application)) {
    methods.set('tools/list', listTools(application));
    methods.set('tools/call', callTool(application));
  }
  if (completes(application)) methods.set('completion/complete', completeArgument(application));
  if (application.skills !== undefined) {
    for (const [name, method] of skillMethods<P>(application.skills)) methods.set(name, method);
  }
  return new Map([...methods].map(([name, method]) => [name, withoutFaults(method, onFault)]));
}

export function offersTools<P>({ tools, interactive }: McpApplication<P>): boolean {
  return tools !== undefined || interactive?.tools !== undefined;
}

export function offersPrompts<P>({ prompts, interactive }: McpApplication<P>): boolean {
  return prompts !== undefined || interactive?.prompts !== undefined;
}

export function completes<P>(application: McpApplication<P>): boolean {
  return application.resources?.complete !== undefined || application.prompts?.complete !== undefined;
}

/** The same method, answering "Internal error" where it would throw. */
export function withoutFaults<P>(method: Method<P>, onFault: (error: unknown) => void): Method<P> {
  return async (principal, params, exchange) => {
    try {
      return await method(principal, params, exchange);
    } catch (error) {
      onFault(error);
      return { kind: 'error', error: internalError };
    }
  };
}
