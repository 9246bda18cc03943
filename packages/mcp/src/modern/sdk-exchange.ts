import type { IncomingMessage } from 'node:http';
import { createMcpHandler } from '@modelcontextprotocol/server';
import type { McpApplication } from '../application.ts';
import type { MethodTable } from '../methods/method-table.ts';
import { capabilitiesOf, type Handler, serverObject } from '../server-object.ts';

/** Has the SDK answer one message. A `subscriptions/listen` in order comes back as an event stream. */
export type SdkExchange<P> = (req: IncomingMessage, message: unknown, principal: P) => Promise<Response>;

/** The headers that the modern era reads. No credential is ever handed on. */
const readHeaders = ['content-type', 'mcp-protocol-version', 'mcp-method', 'mcp-name'] as const;

/** The modern era as the SDK serves it: a server object for each request. */
export function sdkExchange<P>(application: McpApplication<P>, methods: MethodTable<P>): SdkExchange<P> {
  const principals = new WeakMap<Request, { readonly principal: P }>();
  const capabilities = capabilitiesOf(application);
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const known = requestInfo && principals.get(requestInfo);
      if (known === undefined) throw new Error('a request arrived that was not handed in');
      const handlers = [...methods].map(([name, method]): [string, Handler] => [
        name,
        (params) => method(known.principal, params),
      ]);
      return serverObject(application, handlers, { capabilities });
    },
    { legacy: 'reject', keepAliveMs: 0 },
  );

  return (req, message, principal) => {
    const headers = new Headers();
    for (const name of readHeaders) {
      const value = req.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    const request = new Request('http://mcp.invalid/', { method: 'POST', headers });
    principals.set(request, { principal });
    return handler.fetch(request, { parsedBody: message });
  };
}
