import type { McpApplication } from '../application.ts';
import { isJsonObject } from '../json.ts';

/**
 * Recognises the messages that start an interactive tool or prompt: those need an answer that can be a stream,
 * and a server object that can speak before it answers. A batch does when one of its messages does.
 */
export function startsInteraction<P>({ interactive }: McpApplication<P>): (message: unknown) => boolean {
  if (interactive === undefined) return () => false;
  const names: ReadonlyMap<unknown, ReadonlySet<unknown>> = new Map([
    ['tools/call', new Set((interactive.tools ?? []).map(({ name }) => name))],
    ['prompts/get', new Set((interactive.prompts ?? []).map(({ name }) => name))],
  ]);
  return (message) =>
    (Array.isArray(message) ? message : [message]).some(
      (item: unknown) =>
        isJsonObject(item) &&
        isJsonObject(item.params) &&
        names.get(item.method)?.has(item.params.name) === true,
    );
}
