import { McpServer } from '@modelcontextprotocol/server';
import type { McpApplication } from '../application.ts';
import { type Handler, type ServerObjectOptions, sdkOptions, setHandlers } from '../server-object.ts';

type Schemas = ReadonlyMap<string, Record<string, unknown>>;

/** The input schemas, by tool, that want an argument mirrored in a header (SEP-2243). */
export function mirroredSchemas<P>({ tools = [], interactive }: McpApplication<P>): Schemas {
  const described = [...tools, ...(interactive?.tools ?? [])];
  // An annotation can stand anywhere in a schema. One too many costs a little time and nothing else.
  const annotated = described.filter(({ inputSchema }) =>
    JSON.stringify(inputSchema).includes('"x-mcp-header"'),
  );
  return new Map(annotated.map(({ name, inputSchema }) => [name, { ...inputSchema }]));
}

/**
 * A server object of the SDK's high-level class, which alone has its mirrored arguments checked. It has no tools of
 * its own: it shows the SDK the schemas and answers as the low-level one does. The method that shows them is one that
 * the SDK calls internal; a later version without it would fail the conformance suite.
 */
export class MirroringServer extends McpServer {
  readonly #schemas: Schemas;

  constructor(
    application: McpApplication<never>,
    handlers: Iterable<readonly [string, Handler]>,
    options: ServerObjectOptions,
    schemas: Schemas,
  ) {
    // Told of its capabilities here, it would add handlers of its own, and promises that those keep.
    super({ ...application.serverInfo }, sdkOptions(application, { ...options, capabilities: {} }));
    this.server.registerCapabilities(options.capabilities);
    this.#schemas = schemas;
    setHandlers(this.server, handlers, options.stateCodec);
  }

  override toolInputSchemaJson(name: string): Record<string, unknown> | undefined {
    return this.#schemas.get(name);
  }
}
