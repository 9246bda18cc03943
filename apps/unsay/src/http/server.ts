import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Clock } from '@unsay/live-resources';
import { AUTHORIZATION_ROUTES, isAuthorization } from './authorization.ts';
import type { HttpContext, Route } from './context.ts';
import { problemOfFault } from './fault-problem.ts';
import { headerValues } from './header-values.ts';
import { finishUpstream, isInteraction, showInteraction, stepInteraction } from './interaction.ts';
import { handleMcp } from './mcp.ts';
import { isAllowedHost, isAllowedOrigin } from './origin.ts';
import { PAGE_PATHS, sendPage } from './pages.ts';
import { handlePair } from './pair.ts';
import { addPasskey, beginPasskey } from './passkeys.ts';
import { handlePreview } from './preview.ts';
import { sendJson, sendProblem } from './problem.ts';
import { refuseUnparsable } from './unparsable.ts';
import { handleVerify } from './verify.ts';
import { handleWrite } from './write.ts';

/** Stands for the paths of every sign-in. */
const INTERACTION = '/interaction';

export const ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  '/mcp': { GET: handleMcp, POST: handleMcp, DELETE: handleMcp },
  '/write': { POST: handleWrite },
  '/preview': { POST: handlePreview },
  '/verify': { GET: handleVerify, HEAD: handleVerify },
  '/pair': { POST: handlePair },
  '/passkeys': { POST: addPasskey },
  '/passkeys/options': { POST: beginPasskey },
  '/sign-in/callback': { GET: finishUpstream },
  [INTERACTION]: { GET: showInteraction, HEAD: showInteraction, POST: stepInteraction },
  ...AUTHORIZATION_ROUTES,
  '/healthz': { GET: isUp, HEAD: isUp },
  '/readyz': { GET: isReady, HEAD: isReady },
};
const OF_FILES = ['GET', 'HEAD'];

/** The HTTP server. Until there is a context it is not ready; it listens to nothing yet. */
export function createHttpServer(clock: Clock, contextOf: () => HttpContext | null): Server {
  const date = httpDate(clock);
  const handle = (req: IncomingMessage, res: ServerResponse): void => {
    // All time comes from the injected clock, this header too.
    res.sendDate = false;
    res.setHeader('date', date());
    const context = contextOf();
    if (context === null) {
      sendProblem(res, 'not_ready');
      return;
    }
    const answered = context.observe();
    let route = 'none';
    answer(context, req, res, (name) => {
      route = name;
    })
      .catch((error: unknown) => {
        context.onFault(error);
        if (res.headersSent) return void res.destroy();
        const { code, extra } = problemOfFault(error);
        // What was not read of the body must not be taken for the next request.
        if (!req.complete) res.setHeader('connection', 'close');
        sendProblem(res, code, extra);
      })
      .finally(() => answered({ route, method: req.method, status: res.statusCode }));
  };
  const server = createServer(
    {
      noDelay: true,
      keepAliveTimeout: 65_000,
      headersTimeout: 15_000,
      requestTimeout: 30_000,
      // Judged here, where the refusal has words.
      requireHostHeader: false,
    },
    handle,
  );
  // Whoever expects what nobody knows is answered as if they did not (RFC 9110, section 10.1.1).
  return server.on('checkExpectation', handle).on('clientError', refuseUnparsable);
}

/** `reached` is told which of the known routes the request leads to. */
async function answer(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
  reached: (route: string) => void,
): Promise<void> {
  // Two readers could each take another one.
  if (headerValues(req, 'host').length !== 1)
    return sendProblem(res, 'malformed', { detail: 'There must be one Host header, and no second one.' });
  if (!isAllowedHost(context.hostNames, req))
    return sendProblem(res, 'origin_refused', {
      detail: 'The Host is not a name of this server.',
      next: 'Call it by its own name, or make UNSAY_PUBLIC_URL the address that people call it by.',
    });
  const url = parseTarget(req);
  if (url === null) return sendProblem(res, 'malformed', { detail: 'The request target is not a path.' });
  allowPage(context, req, res);
  // Clients are known to ask for the endpoint with a slash at its end.
  const path = url.pathname === '/mcp/' ? '/mcp' : url.pathname;
  const name = nameOf(path);
  const routes = name === undefined ? undefined : ROUTES[name];
  const isFile = Object.hasOwn(context.documents, path) || context.pages.has(path);
  if (routes === undefined && !isFile) return sendProblem(res, 'not_found');
  reached(name ?? 'file');
  const { method = '' } = req;
  const methods = routes === undefined ? OF_FILES : Object.keys(routes);
  if (method === 'OPTIONS') return preflight(context, req, res, methods);
  if (!methods.includes(method)) return refuseMethod(res, methods);
  const route = routes?.[method];
  return route === undefined ? serveFile(context, req, res, path) : route(context, req, res, url);
}

/** The name that a path has in the table of routes; undefined for one that is not there. */
function nameOf(path: string): string | undefined {
  if (isInteraction(path)) return INTERACTION;
  if (isAuthorization(path)) return '/authorize';
  return Object.hasOwn(ROUTES, path) && path !== INTERACTION ? path : undefined;
}

async function isUp(_context: HttpContext, _req: IncomingMessage, res: ServerResponse): Promise<void> {
  sendText(res, 200, 'ok');
}

async function isReady(context: HttpContext, _req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (await context.isReady()) sendText(res, 200, 'ok');
  else sendProblem(res, 'not_ready');
}

function serveFile(context: HttpContext, req: IncomingMessage, res: ServerResponse, path: string): void {
  const document = Object.hasOwn(context.documents, path) ? context.documents[path] : undefined;
  const file = context.pages.get(path);
  const { host = '' } = req.headers;
  if (document !== undefined) {
    sendJson(res, 200, document, { 'cache-control': 'public, max-age=60' });
  } else if (file === undefined) {
    sendProblem(res, 'not_found');
  } else if (PAGE_PATHS.includes(path) && host.startsWith('127.0.0.1')) {
    // Pages belong to one name: a browser keeps sessions and passkeys by it.
    res.writeHead(307, { location: `http://${host.replace('127.0.0.1', 'localhost')}${req.url ?? '/'}` });
    res.end();
  } else {
    sendPage(res, file, req.method === 'HEAD');
  }
}

/** The targets that are a route and no more, which most are: they need not be parsed each time. */
const PLAIN_TARGETS: ReadonlyMap<string, URL> = new Map(
  Object.keys(ROUTES).map((path) => [path, new URL(path, 'http://localhost')]),
);

// In a URL a backslash is a slash, so that `/\name/path` would name a host as `//name/path` does.
function parseTarget(req: IncomingMessage): URL | null {
  const target = req.url ?? '';
  const plain = PLAIN_TARGETS.get(target);
  if (plain !== undefined) return plain;
  return /^\/(?![/\\])/.test(target) && URL.canParse(target, 'http://localhost')
    ? new URL(target, 'http://localhost')
    : null;
}

function allowPage(context: HttpContext, req: IncomingMessage, res: ServerResponse): void {
  const { origin } = req.headers;
  res.setHeader('vary', 'Origin');
  if (origin === undefined || !isAllowedOrigin(context, req)) return;
  res.setHeader('access-control-allow-origin', origin);
  res.setHeader('access-control-expose-headers', 'Mcp-Session-Id, WWW-Authenticate');
}

function preflight(
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
  methods: readonly string[],
): void {
  if (!isAllowedOrigin(context, req)) {
    sendProblem(res, 'origin_refused');
    return;
  }
  res.writeHead(204, {
    'access-control-allow-methods': methods.join(', '),
    'access-control-allow-headers':
      'authorization, content-type, idempotency-key, if-match, last-event-id, mcp-method, mcp-name, mcp-protocol-version, mcp-session-id',
    'access-control-max-age': '600',
  });
  res.end();
}

function refuseMethod(res: ServerResponse, methods: readonly string[]): void {
  sendProblem(res, 'method_not_allowed', { headers: { allow: methods.join(', ') } });
}

function sendText(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  res.end(text);
}

/** The time as HTTP writes it (RFC 9110, section 5.6.7), spelled once a second. */
function httpDate(clock: Clock): () => string {
  let [second, text] = [Number.NaN, ''];
  return () => {
    const now = Math.floor(clock.now() / 1000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1000).toUTCString();
    }
    return text;
  };
}
