import type { Tokens } from './access/tokens.ts';
import { answerOperator, OPERATOR_PATH, refuse } from './api/operator-route.ts';
import { ADMIN_PATH, answerAdmin } from './http/admin-page.ts';
import type { Parts } from './posts/parts.ts';
import type { Site } from './site/pages.ts';
import { publishedPosts } from './site/published-posts.ts';
import { answerSite, respond } from './site/site-routes.ts';

/** What Press is made of. */
export interface PressParts extends Parts {
  readonly tokens: Tokens;
  /** Asked at each request, since an address may be known only when a port is. */
  readonly site: () => Site;
  /** Told of what must not happen; the answer says only that it did. */
  readonly onFault: (error: unknown) => void;
}

/** Press as one function of the web: a request in, a response out, on whatever runs it. */
export type Press = (request: Request) => Promise<Response>;

/** Puts the API, the admin page and the site behind one door. */
export function createPress(parts: PressParts): Press {
  const posts = publishedPosts(parts.database);
  const answer = async (request: Request): Promise<Response> => {
    const [site, url] = [parts.site(), new URL(request.url)];
    // A name that is not ours is a page elsewhere that made this machine look like its own.
    if (![...LOOPBACK, new URL(site.url).hostname].includes(url.hostname))
      return respond(421, 'text/plain; charset=utf-8', 'This is not the host of this site.\n');
    const origins = [new URL(site.url).origin, ...(LOOPBACK.includes(url.hostname) ? [url.origin] : [])];
    if (url.pathname === OPERATOR_PATH && request.method === 'POST') {
      const origin = request.headers.get('origin');
      if (origin !== null && !origins.includes(origin)) return refuse('origin-refused');
      return answerOperator(parts, request);
    }
    if (url.pathname === ADMIN_PATH) return answerAdmin(parts, site, request, origins);
    return answerSite(site, posts, request);
  };
  return (request) =>
    answer(request).catch((error: unknown) => {
      parts.onFault(error);
      return refuse('internal');
    });
}

const LOOPBACK = ['localhost', '127.0.0.1'];
