import {
  ProtocolError,
  Server,
  type ServerCapabilities,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import type { McpApplication } from './application.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { completes } from './methods/method-table.ts';
import type { MethodOutcome } from './methods/outcome.ts';

/** A method with its principal already bound. */
export type Handler = (params: JsonObject) => Promise<MethodOutcome>;

/** The handlers check their own parameters; the SDK's checks would answer -32603 for a client's mistake. */
const anyParams: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'unsay',
    validate: (value) => ({ value: isJsonObject(value) ? value : {} }),
  },
};

export function capabilitiesOf<P>(application: McpApplication<P>): ServerCapabilities {
  return {
    ...(application.resources !== undefined && { resources: { subscribe: true, listChanged: true } }),
    ...(application.prompts !== undefined && { prompts: {} }),
    ...(application.tools !== undefined && { tools: {} }),
    ...(completes(application) && { completions: {} }),
    ...(application.extensions !== undefined && { extensions: application.extensions }),
  };
}

/**
 * An SDK server object that serves one exchange. The low-level class, because the high-level one answers
 * `resources/list` without looking at the cursor and matches URIs after normalising them.
 */
export function serverObject<P>(
  application: McpApplication<P>,
  handlers: Iterable<readonly [string, Handler]>,
  options: { readonly capabilities: ServerCapabilities; readonly supportedProtocolVersions?: string[] },
): Server {
  const server = new Server(
    { ...application.serverInfo },
    { ...options, instructions: application.instructions },
  );
  for (const [name, handler] of handlers) {
    server.setRequestHandler(name, { params: anyParams }, async (params) => {
      const outcome = await handler(params);
      if (outcome.kind === 'error') {
        const { code, message, data } = outcome.error;
        throw new ProtocolError(code, message, data);
      }
      return { ...outcome.result };
    });
  }
  return server;
}
