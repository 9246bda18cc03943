import type { IncomingMessage } from 'node:http';
import type { HttpContext } from './context.ts';
import { headerValues } from './header-values.ts';

/**
 * Whether a browser page of this request's origin may call. A request without an Origin comes from no page.
 * A foreign origin is refused on loopback too: DNS rebinding makes any site look local.
 */
export function isAllowedOrigin(context: Pick<HttpContext, 'allowedOrigins'>, req: IncomingMessage): boolean {
  return headerValues(req, 'origin').every((origin) => context.allowedOrigins.has(origin));
}

/**
 * Whether the Host is one of the server's names: the public one, or loopback, with any port. It must be a name and
 * a port and nothing else: in a URL, `127.0.0.1@localhost` or `localhost/x` would pass for one of these.
 */
export function isAllowedHost(names: ReadonlySet<string>, req: IncomingMessage): boolean {
  const name = /^(.+?)(?::\d{1,5})?$/.exec(req.headers.host ?? '')?.[1]?.toLowerCase() ?? '';
  return names.has(name);
}

/** The names that this server may be asked for by. */
export function hostNamesOf(publicUrl: string): ReadonlySet<string> {
  return new Set(['localhost', '127.0.0.1', new URL(publicUrl).hostname]);
}
