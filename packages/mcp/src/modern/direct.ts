import type { ServerResponse } from 'node:http';
import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server';
import type { McpApplication } from '../application.ts';
import { sendError, sendJson } from '../http-answers.ts';
import type { Method, MethodOutcome } from '../methods/outcome.ts';
import type { WellFormedRequest } from './well-formed.ts';

/** Results that a client might keep. Ours may not be kept: a correction must not meet a stale copy. */
const cacheable: ReadonlySet<string> = new Set(['resources/read', 'resources/list']);

/**
 * Answers a well-formed request without building a server object, which is most of what a request costs. The
 * answer is the one that the SDK would give.
 */
export async function answerDirectly<P>(
  res: ServerResponse,
  request: WellFormedRequest,
  method: Method<P>,
  principal: P,
  serverInfo: McpApplication<P>['serverInfo'],
): Promise<void> {
  const outcome = await method(principal, request.params);
  if (outcome.kind === 'error') {
    sendError(res, request.id, outcome.error);
  } else {
    const result = JSON.stringify(complete(request.method, outcome.result, serverInfo));
    sendJson(res, 200, `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(request.id)}}`);
  }
}

function complete(
  method: string,
  result: (MethodOutcome & { kind: 'result' })['result'],
  serverInfo: McpApplication<unknown>['serverInfo'],
): object {
  const { _meta: meta } = result;
  return {
    ...result,
    resultType: 'complete',
    ...(cacheable.has(method) && { ttlMs: 0, cacheScope: 'private' }),
    _meta: { ...(typeof meta === 'object' && meta), [SERVER_INFO_META_KEY]: serverInfo },
  };
}
