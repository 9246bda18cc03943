import type { ServerResponse } from 'node:http';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { McpApplication } from '../application.ts';
import { sendError, sendJson } from '../http-answers.ts';
import type { Method, MethodOutcome } from '../methods/outcome.ts';
import type { WellFormedRequest } from './well-formed.ts';

type Result = (MethodOutcome & { kind: 'result' })['result'];

/** Results that a client might keep. Ours may not be kept: a correction must not meet a stale copy. */
const cacheable: ReadonlySet<string> = new Set(['resources/read', 'resources/list']);

/**
 * Answers well-formed requests without building a server object, which is most of what a request costs. The answer
 * is the one that the SDK would give.
 */
export function directAnswers<P>({
  serverInfo,
}: Pick<McpApplication<P>, 'serverInfo'>): (
  res: ServerResponse,
  request: WellFormedRequest,
  method: Method<P>,
  principal: P,
) => Promise<void> {
  // An application that gives the same contents again gives the same object, which is then written down once.
  const readings = new WeakMap<object, string>();

  function jsonOf(method: string, result: Result): string {
    const { contents } = result;
    if (method !== 'resources/read' || !Array.isArray(contents))
      return JSON.stringify(complete(method, result, serverInfo));
    const known = readings.get(contents);
    if (known !== undefined) return known;
    const json = JSON.stringify(complete(method, result, serverInfo));
    readings.set(contents, json);
    return json;
  }

  return async (res, request, method, principal) => {
    const outcome = await method(principal, request.params);
    if (outcome.kind === 'error') {
      sendError(res, request.id, outcome.error);
    } else {
      const result = jsonOf(request.method, outcome.result);
      sendJson(res, 200, `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(request.id)}}`);
    }
  };
}

function complete(method: string, result: Result, serverInfo: McpApplication<unknown>['serverInfo']): object {
  const { _meta: meta } = result;
  return {
    ...result,
    resultType: 'complete',
    ...(cacheable.has(method) && { ttlMs: 0, cacheScope: 'private' }),
    _meta: { ...(typeof meta === 'object' && meta), [SERVER_INFO_META_KEY]: serverInfo },
  };
}
