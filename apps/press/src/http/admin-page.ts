import { appendAudit } from '../access/audit.ts';
import type { Tokens } from '../access/tokens.ts';
import { readPost } from '../gates/read-post.ts';
import { isSlug } from '../gates/slug.ts';
import { type ChangeOutcome, publishPost } from '../posts/change-post.ts';
import type { Parts } from '../posts/parts.ts';
import { getPost, listPosts } from '../posts/read-posts.ts';
import { renderMarkdown } from '../posts/render-markdown.ts';
import { type Html, html, trusted } from '../site/html.ts';
import { page, type Site } from '../site/pages.ts';
import { respond } from '../site/site-routes.ts';
import { readText } from './read-text.ts';

/** Where an admin publishes what has never been live. */
export const ADMIN_PATH = '/admin';

const FORM_LIMIT = 4096;
const HTML = 'text/html; charset=utf-8';

/** Answers for the admin page: the list, one post as it would go live, and publishing exactly that text. */
export async function answerAdmin(
  parts: Parts & { readonly tokens: Tokens },
  site: Site,
  request: Request,
  ownOrigins: readonly string[],
): Promise<Response> {
  const label = await adminLabel(parts.tokens, request);
  if (label === null) return askForToken(site);
  if (request.method === 'POST') {
    // A browser sends the password along with whatever another page makes it send; it also says which page that was.
    if (!ownOrigins.includes(request.headers.get('origin') ?? ''))
      return say(
        site,
        403,
        'Not published',
        'The request does not come from this page. Open the page and publish from there.',
      );
    return publish(parts, site, request, label);
  }
  if (request.method !== 'GET') return say(site, 405, 'Not possible', 'Open this page in a browser.');
  const slug = new URL(request.url).searchParams.get('post');
  return slug === null ? waiting(parts, site) : preview(parts, site, slug);
}

async function adminLabel(tokens: Tokens, request: Request): Promise<string | null> {
  const basic = /^basic +([a-z0-9+/=]+)$/i.exec(request.headers.get('authorization') ?? '')?.[1];
  if (basic === undefined) return null;
  const password = Buffer.from(basic, 'base64')
    .toString('utf8')
    .replace(/^[^:]*:/, '');
  return (await tokens.verify(password, 'admin'))?.label ?? null;
}

function askForToken(site: Site): Response {
  const response = say(
    site,
    401,
    'Sign in',
    'Sign in with an admin token as the password. One is made with: press token add LABEL --admin.',
  );
  response.headers.set('www-authenticate', 'Basic realm="Press", charset="UTF-8"');
  return response;
}

async function waiting(parts: Parts, site: Site): Promise<Response> {
  const { posts } = await listPosts(parts, { status: 'draft', limit: Number.MAX_SAFE_INTEGER });
  const never = posts.filter(({ firstPublished }) => firstPublished === null);
  const items = never.map(
    ({ slug, title, updatedAt }) =>
      html`<li><a href="/admin?post=${slug}">${title}</a> <time datetime="${updatedAt}">${updatedAt.slice(0, 10)}</time></li>`,
  );
  const listed = items.length === 0 ? html`<p>Nothing waits.</p>` : html`<ul>${items}</ul>`;
  return show(site, 200, 'Waiting for a first publication', listed);
}

async function preview(parts: Parts, site: Site, slug: string): Promise<Response> {
  const found = await getPost(parts, slug, null);
  if (found === null) return say(site, 404, 'Not found', 'There is no such post.');
  const post = readPost(found.markdown);
  const body = post.kind === 'read' ? renderMarkdown(post.body) : '';
  const form = html`<form method="post" action="/admin">
<input type="hidden" name="slug" value="${slug}"><input type="hidden" name="revision" value="${found.revision}">
<p>You publish exactly this text. If it changes before you do, nothing is published.</p>
<button>Publish ${slug}</button></form>`;
  return show(
    site,
    200,
    found.entry?.title ?? slug,
    html`${form}
<h2>As readers see it</h2>
<article>${trusted(body)}</article>
<h2>As it was written</h2>
<pre>${found.markdown}</pre>`,
  );
}

async function publish(parts: Parts, site: Site, request: Request, label: string): Promise<Response> {
  const text = await readText(request, FORM_LIMIT);
  const form = new URLSearchParams(text.kind === 'text' ? text.text : '');
  const [slug, revision] = [form.get('slug') ?? '', form.get('revision') ?? ''];
  if (!isSlug(slug)) return say(site, 404, 'Not found', 'There is no such post.');
  const outcome = await publishAndKeep(parts, { label, slug, revision });
  if (outcome.kind === 'done') return say(site, 200, 'Published', `${slug} is live.`);
  return say(site, 409, 'Not published', `${saidOfPublishing(outcome)} Open the list and look again.`);
}

/** Publishes, and keeps who did in the audit. */
export async function publishAndKeep(
  parts: Parts,
  asked: { readonly label: string; readonly slug: string; readonly revision: string },
): Promise<ChangeOutcome> {
  const outcome = await publishPost(parts, asked);
  await appendAudit(parts.database, {
    at: new Date(parts.now()).toISOString(),
    role: 'admin',
    label: asked.label,
    operation: 'publish',
    slug: asked.slug,
    outcome: outcome.kind,
    commit: outcome.kind === 'done' ? outcome.commit : null,
  });
  return outcome;
}

/** Why nothing was published, in a sentence. */
export function saidOfPublishing(outcome: Exclude<ChangeOutcome, { kind: 'done' }>): string {
  switch (outcome.kind) {
    case 'stale-revision':
      return `The post has changed since; its revision is now ${outcome.current ?? 'none'}.`;
    case 'no-such-post':
      return 'There is no such post.';
    case 'gate-refused': {
      const [first] = outcome.problems;
      return `The post does not pass the gates: ${first?.rule} at line ${first?.line}, column ${first?.column}.`;
    }
    default:
      return 'Others were changing posts at the same time; nothing was published.';
  }
}

function say(site: Site, status: number, title: string, sentence: string): Response {
  return show(site, status, title, html`<p>${sentence}</p><p><a href="/admin">To the list</a></p>`);
}

function show(site: Site, status: number, title: string, content: Html): Response {
  const response = respond(status, HTML, page(site, title, html`<h1>${title}</h1>${content}`));
  response.headers.set('cache-control', 'no-store');
  return response;
}
