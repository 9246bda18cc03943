import type { McpApplication } from '../application.ts';
import { isJsonObject, type JsonValue } from '../json.ts';
import { invalidParams, type Method } from './outcome.ts';

/** The most values that one `completion/complete` answer may carry. */
const MOST_VALUES = 100;

export function isStringRecord(value: JsonValue): value is Readonly<Record<string, string>> {
  return isJsonObject(value) && Object.values(value).every((entry) => typeof entry === 'string');
}

/**
 * Completes an argument of a template or prompt. A template or prompt that is unknown to this principal has no
 * values, exactly as one that does not exist.
 */
export function completeArgument<P>(application: McpApplication<P>): Method<P> {
  return async (principal, params) => {
    const { ref, argument, context = {} } = params;
    if (!isJsonObject(ref)) return invalidParams('ref must be an object');
    if (!isJsonObject(argument)) return invalidParams('argument must be an object');
    const { name, value } = argument;
    if (typeof name !== 'string' || typeof value !== 'string') {
      return invalidParams('argument.name and argument.value must be strings');
    }
    const known = isJsonObject(context) ? (context.arguments ?? {}) : undefined;
    if (known === undefined || !isStringRecord(known)) {
      return invalidParams('context.arguments must be an object whose values are strings');
    }
    const values = await completionsOf(application, principal, ref, { name, value }, known);
    if (values === undefined) {
      return invalidParams('ref must be {"type":"ref/resource","uri":…} or {"type":"ref/prompt","name":…}');
    }
    return {
      kind: 'result',
      result: {
        completion: {
          values: values.slice(0, MOST_VALUES),
          total: values.length,
          hasMore: values.length > MOST_VALUES,
        },
      },
    };
  };
}

async function completionsOf<P>(
  application: McpApplication<P>,
  principal: P,
  ref: Readonly<Record<string, JsonValue>>,
  argument: { readonly name: string; readonly value: string },
  context: Readonly<Record<string, string>>,
): Promise<readonly string[] | undefined> {
  if (ref.type === 'ref/resource' && typeof ref.uri === 'string') {
    return (await application.resources?.complete?.(principal, ref.uri, argument, context)) ?? [];
  }
  if (ref.type === 'ref/prompt' && typeof ref.name === 'string') {
    return (await application.prompts?.complete?.(principal, ref.name, argument, context)) ?? [];
  }
  return undefined;
}
