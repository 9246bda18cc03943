import type { PostEntry } from '../posts/entry.ts';
import { type Html, html, trusted } from './html.ts';
import type { PublishedPost } from './published-posts.ts';

/** What every page knows of the site. */
export interface Site {
  readonly title: string;
  readonly description: string;
  /** Its public address, with no slash at the end. */
  readonly url: string;
}

/** A page of the site as a whole document. */
export function page(site: Site, title: string, content: Html): string {
  const heading = title === site.title ? title : `${title} · ${site.title}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${heading}</title>
<link rel="stylesheet" href="/style.css">
<link rel="alternate" type="application/atom+xml" title="${site.title}" href="/feed.atom">
<link rel="alternate" type="application/feed+json" title="${site.title}" href="/feed.json">
</head>
<body>
<header><nav aria-label="Site"><a href="/">${site.title}</a><a href="/search">Search</a></nav></header>
<main>
${content}
</main>
<footer><a href="/feed.atom">Atom feed</a><a href="/feed.json">JSON feed</a><span class="quiet">${site.description}</span></footer>
</body>
</html>
`.html;
}

/** Posts as a list of links. */
function list(posts: readonly PostEntry[]): Html {
  return html`<ul>${posts.map(
    ({ slug, title, date, summary }) =>
      html`
<li><a href="/posts/${slug}">${title}</a> <time datetime="${date}">${date.slice(0, 10)}</time>${summary === '' ? '' : html`<br>${summary}`}</li>`,
  )}
</ul>`;
}

/** The first page, or a later one of the list. */
export function frontPage(
  site: Site,
  {
    posts,
    number,
    last,
  }: { readonly posts: readonly PostEntry[]; readonly number: number; readonly last: number },
): string {
  const newer = number > 1 ? html`<a rel="prev" href="/?page=${number - 1}">Newer</a> ` : '';
  const older = number < last ? html`<a rel="next" href="/?page=${number + 1}">Older</a>` : '';
  const posted = posts.length === 0 ? html`<p>Nothing is published yet.</p>` : list(posts);
  return page(
    site,
    site.title,
    html`<h1>${site.title}</h1>
<p>${site.description}</p>
${posted}
<nav aria-label="Pages">${newer}${older}</nav>`,
  );
}

/** One post. */
export function postPage(site: Site, { title, date, tags, html: body }: PublishedPost): string {
  const tagged = tags.length === 0 ? '' : html` <span class="quiet">${tags.join(', ')}</span>`;
  return page(
    site,
    title,
    html`<article>
<h1>${title}</h1>
<p><time datetime="${date}">${date.slice(0, 10)}</time>${tagged}</p>
${trusted(body)}
</article>`,
  );
}

/** The search page, with what was found. */
export function searchPage(site: Site, question: string, found: readonly PostEntry[]): string {
  const none = question === '' ? '' : html`<p>Nothing was found.</p>`;
  return page(
    site,
    'Search',
    html`<h1>Search</h1>
<form action="/search" role="search"><label>Words <input type="search" name="q" value="${question}" maxlength="200"></label> <button>Search</button></form>
${found.length === 0 ? none : list(found)}`,
  );
}

/** What is not there, a draft included. */
export function notFoundPage(site: Site): string {
  return page(
    site,
    'Not found',
    html`<h1>Not found</h1>
<p>There is nothing at this address. <a href="/">See what is here</a>, or <a href="/search">search</a>.</p>`,
  );
}
