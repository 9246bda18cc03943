import {
  createRequestStateCodec,
  ProtocolError,
  type RequestStateCodec,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import type { McpApplication } from './application.ts';
import { type Caller, ownerOf } from './caller.ts';
import { isJsonObject, type JsonObject, type JsonValue } from './json.ts';
import { ErrorCode, type OpenExchange } from './methods/outcome.ts';
import type { Randomness } from './randomness.ts';

/** What is signed: the application's state, and the tool or prompt that it belongs to. */
interface SealedState {
  readonly about: string;
  readonly state: JsonValue;
}

/** Signs and checks the state that a client keeps between two rounds. */
export type StateCodec = RequestStateCodec<SealedState>;

/** The codec of one caller; undefined where there is nothing to sign. */
export type CodecFor = (caller: Caller<unknown>) => StateCodec | undefined;

/**
 * Makes a codec for each caller: what was signed for another is refused. The key is drawn here, so state does not
 * outlive the process. An application without interactive methods signs nothing.
 */
export function stateCodecs(application: McpApplication<never>, randomness: Randomness): CodecFor {
  if (application.interactive === undefined) return () => undefined;
  const key = randomness.bytes('mcp request state key', '', 32);
  return (caller) => {
    const owner = ownerOf(caller);
    return createRequestStateCodec<SealedState>({ key, bind: () => owner });
  };
}

/**
 * One call as an interactive method sees it.
 * @throws ProtocolError -32602 when the state that came back was signed for another tool or prompt
 */
export function openExchange(
  server: Server,
  { mcpReq }: ServerContext,
  params: JsonObject,
  codec: StateCodec,
): OpenExchange {
  const about = JSON.stringify([mcpReq.method, params.name ?? null]);
  const sealed = mcpReq.requestState<SealedState>();
  if (sealed !== undefined && sealed.about !== about) {
    throw new ProtocolError(ErrorCode.invalidParams, 'Invalid or expired requestState');
  }
  const capabilities: unknown = server.getClientCapabilities();
  const { signal } = mcpReq;
  const progressToken = mcpReq._meta?.progressToken;
  return {
    clientCapabilities: isJsonObject(capabilities) ? capabilities : {},
    inputResponses: isJsonObject(mcpReq.inputResponses) ? mcpReq.inputResponses : {},
    requestState: sealed?.state,
    signal,
    async progress(progress, total) {
      if (progressToken === undefined || signal.aborted) return;
      await mcpReq.notify({
        method: 'notifications/progress',
        params: { progressToken, progress, total },
      });
    },
    async log(level, data) {
      if (!signal.aborted) await mcpReq.log(level, data);
    },
    seal: (state) => codec.mint({ about, state }, { mcpReq }),
  };
}
