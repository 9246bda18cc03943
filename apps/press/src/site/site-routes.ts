import { isSlug } from '../gates/slug.ts';
import { atomFeed, jsonFeed, llmsText, robotsText, sitemap } from './feeds.ts';
import { frontPage, notFoundPage, postPage, type Site, searchPage } from './pages.ts';
import type { PublishedPosts } from './published-posts.ts';
import { STYLE } from './style.ts';

const PAGE_SIZE = 20;
const FEED_SIZE = 20;
const MOST_QUESTION = 200;

const HTML = 'text/html; charset=utf-8';

type Route = (site: Site, posts: PublishedPosts, url: URL) => Promise<Response>;

const ROUTES: Readonly<Record<string, Route>> = {
  async '/'(site, posts, { searchParams }) {
    const number = /^[1-9]\d{0,5}$/.exec(searchParams.get('page') ?? '1')?.[0];
    const last = Math.max(1, Math.ceil((await posts.count()) / PAGE_SIZE));
    if (number === undefined || Number(number) > last) return missing(site);
    const skip = (Number(number) - 1) * PAGE_SIZE;
    const shown = await posts.newest({ limit: PAGE_SIZE, skip });
    return found(HTML, frontPage(site, { posts: shown, number: Number(number), last }));
  },
  async '/search'(site, posts, { searchParams }) {
    const question = (searchParams.get('q') ?? '').slice(0, MOST_QUESTION);
    return found(HTML, searchPage(site, question, await posts.search(question, PAGE_SIZE)));
  },
  '/feed.atom': async (site, posts) =>
    found('application/atom+xml; charset=utf-8', atomFeed(site, await posts.newest({ limit: FEED_SIZE }))),
  '/feed.json': async (site, posts) =>
    found('application/feed+json', jsonFeed(site, await posts.newest({ limit: FEED_SIZE }))),
  '/sitemap.xml': async (site, posts) =>
    found('application/xml; charset=utf-8', sitemap(site, await posts.all())),
  '/llms.txt': async (site, posts) => found('text/plain; charset=utf-8', llmsText(site, await posts.all())),
  '/robots.txt': async (site) => found('text/plain; charset=utf-8', robotsText(site)),
  '/style.css': async () => found('text/css; charset=utf-8', STYLE),
  '/healthz': async () => found('text/plain; charset=utf-8', 'ok'),
};

/** Answers for the site. A draft, a wrong address and a wrong method are one answer. */
export async function answerSite(site: Site, posts: PublishedPosts, request: Request): Promise<Response> {
  const url = new URL(request.url);
  if (request.method !== 'GET' && request.method !== 'HEAD') return missing(site);
  const route = Object.hasOwn(ROUTES, url.pathname) ? ROUTES[url.pathname] : undefined;
  if (route !== undefined) return route(site, posts, url);
  const slug = /^\/posts\/([^/]+)$/.exec(url.pathname)?.[1] ?? '';
  const post = isSlug(slug) ? await posts.find(slug) : null;
  return post === null ? missing(site) : found(HTML, postPage(site, post));
}

function found(type: string, body: string): Response {
  return respond(200, type, body);
}

function missing(site: Site): Response {
  return respond(404, HTML, notFoundPage(site));
}

/** A page or file, with headers under which it can run nothing and be framed nowhere. */
export function respond(status: number, type: string, body: string): Response {
  return new Response(body, {
    status,
    headers: {
      'content-type': type,
      'cache-control': 'no-cache',
      'content-security-policy':
        "default-src 'none'; style-src 'self'; img-src 'self' https:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    },
  });
}
