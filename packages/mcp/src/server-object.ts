import {
  ProtocolError,
  Server,
  type ServerCapabilities,
  type ServerOptions,
  type StandardSchemaV1,
} from '@modelcontextprotocol/server';
import type { McpApplication } from './application.ts';
import { isJsonObject, type JsonObject } from './json.ts';
import { completes, offersPrompts, offersTools } from './methods/method-table.ts';
import type { MethodOutcome, OpenExchange } from './methods/outcome.ts';
import { openExchange, type StateCodec } from './open-exchange.ts';
import { SKILLS_EXTENSION } from './skills.ts';

/** A method with its principal already bound. */
export type Handler = (params: JsonObject, exchange?: OpenExchange) => Promise<MethodOutcome>;

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
    ...(offersPrompts(application) && { prompts: {} }),
    ...(offersTools(application) && { tools: {} }),
    ...(completes(application) && { completions: {} }),
    ...(logs(application) && { logging: {} }),
    ...extensionsOf(application),
  };
}

/** Whether anything is ever said on the log channel. */
export function logs<P>({ interactive, resources }: McpApplication<P>): boolean {
  return interactive?.logging === true || resources?.logged === true;
}

/** What is declared by identifier; the extensions that only one era has join there. */
export function extensionsOf<P>({
  extensions,
  skills,
}: McpApplication<P>): Pick<ServerCapabilities, 'extensions'> {
  const all = { ...extensions, ...(skills !== undefined && { [SKILLS_EXTENSION]: {} }) };
  return Object.keys(all).length > 0 ? { extensions: all } : {};
}

/** What a server object is made of, beside its handlers. */
export interface ServerObjectOptions {
  readonly capabilities: ServerCapabilities;
  readonly supportedProtocolVersions?: string[];
  /** Signs what interactive methods give the client to keep; without it there is no interaction. */
  readonly stateCodec: StateCodec | undefined;
}

/**
 * An SDK server object that serves one exchange. The low-level class, because the high-level one answers
 * `resources/list` without looking at the cursor and matches URIs after normalising them.
 */
export function serverObject<P>(
  application: McpApplication<P>,
  handlers: Iterable<readonly [string, Handler]>,
  options: ServerObjectOptions,
): Server {
  const server = new Server({ ...application.serverInfo }, sdkOptions(application, options));
  setHandlers(server, handlers, options.stateCodec);
  return server;
}

export function sdkOptions<P>(
  { instructions }: McpApplication<P>,
  { stateCodec, ...options }: ServerObjectOptions,
): ServerOptions {
  return {
    ...options,
    instructions,
    ...(stateCodec !== undefined && { requestState: { verify: stateCodec.verify } }),
  };
}

export function setHandlers(
  server: Server,
  handlers: Iterable<readonly [string, Handler]>,
  stateCodec: StateCodec | undefined,
): void {
  for (const [name, handler] of handlers) {
    server.setRequestHandler(name, { params: anyParams }, async (params, context) => {
      const exchange = stateCodec && openExchange(server, context, params, stateCodec);
      const outcome = await handler(params, exchange);
      if (outcome.kind === 'error') {
        const { code, message, data } = outcome.error;
        throw new ProtocolError(code, message, data);
      }
      return { ...outcome.result };
    });
  }
}
