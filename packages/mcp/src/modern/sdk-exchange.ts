import type { IncomingMessage } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { McpApplication } from '../application.ts';
import type { Caller } from '../caller.ts';
import { KEEP_ALIVE_MS } from '../http-answers.ts';
import type { MethodTable } from '../methods/method-table.ts';
import { withLifetime } from '../methods/skills.ts';
import type { CodecFor } from '../open-exchange.ts';
import { capabilitiesOf, type Handler, serverObject } from '../server-object.ts';
import type { EventsExtension } from './events/events.ts';
import { MirroringServer, mirroredSchemas } from './mirrored-arguments.ts';

/**
 * Has the SDK answer one message. A `subscriptions/listen` in order comes back as an event stream, and so does a
 * call that speaks before it answers.
 */
export type SdkExchange<P> = (req: IncomingMessage, message: unknown, caller: Caller<P>) => Promise<Response>;

/** The headers that the modern era reads of every request. No credential is ever handed on. */
const readHeaders = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** The modern era as the SDK serves it: a server object for each request. */
export function sdkExchange<P>(
  application: McpApplication<P>,
  methods: MethodTable<P>,
  events: Pick<EventsExtension<P>, 'methods' | 'capabilities'>,
  codecFor: CodecFor,
): SdkExchange<P> {
  const callers = new WeakMap<Request, Caller<P>>();
  const capabilities = { ...capabilitiesOf(application), ...events.capabilities };
  const mirrored = mirroredSchemas(application);
  const table = [...methods, ...events.methods].map(
    ([name, method]) => [name, withLifetime(name, method)] as const,
  );
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo);
      if (caller === undefined) throw new Error('a request arrived that was not handed in');
      const handlers = table.map(([name, method]): [string, Handler] => [
        name,
        (params, exchange) => method(caller.principal, params, exchange),
      ]);
      const options = { capabilities, stateCodec: codecFor(caller) };
      return mirrored.size > 0
        ? new MirroringServer(application, handlers, options, mirrored)
        : serverObject(application, handlers, options);
    },
    { legacy: 'reject', keepAliveMs: application.interactive === undefined ? 0 : KEEP_ALIVE_MS },
  );

  return (req, message, caller) => {
    const headers = new Headers();
    for (const name of readHeaders) {
      const value = req.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    for (const name of mirrored.size > 0 ? Object.keys(req.headers) : []) {
      const value = req.headers[name];
      if (name.startsWith('mcp-param-') && typeof value === 'string') headers.set(name, value);
    }
    const request = new Request('http://mcp.invalid/', { method: 'POST', headers });
    callers.set(request, caller);
    return handler.fetch(request, { parsedBody: message });
  };
}
