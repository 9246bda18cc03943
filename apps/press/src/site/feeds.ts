import { momentOf } from '../gates/date.ts';
import type { PostEntry } from '../posts/entry.ts';
import { escaped } from './html.ts';
import type { Site } from './pages.ts';
import type { PublishedPost } from './published-posts.ts';

const address = (site: Site, { slug }: Pick<PostEntry, 'slug'>): string => `${site.url}/posts/${slug}`;
const instant = (moment: number): string => new Date(moment).toISOString();

/** The newest posts as Atom (RFC 4287). */
export function atomFeed(site: Site, posts: readonly PublishedPost[]): string {
  const updated =
    posts
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? instant(0);
  const entries = posts.map(
    (post) => `<entry>
<id>${escaped(address(site, post))}</id>
<title>${escaped(post.title)}</title>
<link href="${escaped(address(site, post))}"/>
<published>${instant(momentOf(post.date))}</published>
<updated>${post.updatedAt}</updated>${post.summary === '' ? '' : `\n<summary>${escaped(post.summary)}</summary>`}
<content type="html">${escaped(post.html)}</content>
</entry>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom">
<id>${escaped(site.url)}/</id>
<title>${escaped(site.title)}</title>
<subtitle>${escaped(site.description)}</subtitle>
<author><name>${escaped(site.title)}</name></author>
<link rel="self" href="${escaped(site.url)}/feed.atom"/>
<link href="${escaped(site.url)}/"/>
<updated>${updated}</updated>
${entries.join('\n')}
</feed>
`;
}

/** The newest posts as JSON Feed 1.1. */
export function jsonFeed(site: Site, posts: readonly PublishedPost[]): string {
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: site.title,
    description: site.description,
    home_page_url: `${site.url}/`,
    feed_url: `${site.url}/feed.json`,
    items: posts.map((post) => ({
      id: address(site, post),
      url: address(site, post),
      title: post.title,
      content_html: post.html,
      ...(post.summary === '' ? {} : { summary: post.summary }),
      date_published: instant(momentOf(post.date)),
      date_modified: post.updatedAt,
      ...(post.tags.length === 0 ? {} : { tags: post.tags }),
    })),
  });
}

/** Every page that is worth finding (sitemaps.org). */
export function sitemap(site: Site, posts: readonly PostEntry[]): string {
  const urls = posts.map(
    (post) => `<url><loc>${escaped(address(site, post))}</loc><lastmod>${post.updatedAt}</lastmod></url>`,
  );
  return `<?xml version="1.0" encoding="utf-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>${escaped(site.url)}/</loc></url>
${urls.join('\n')}
</urlset>
`;
}

/** What there is, for language models (llmstxt.org). */
export function llmsText(site: Site, posts: readonly PostEntry[]): string {
  const lines = posts.map((post) => {
    const summary = post.summary === '' ? '' : `: ${post.summary}`;
    return `- [${post.title.replace(/[[\]\\]/g, '\\$&')}](${address(site, post)})${summary}`;
  });
  return `# ${site.title}\n\n> ${site.description}\n\n## Posts\n\n${lines.join('\n')}\n`;
}

/** That everything may be read, and where the list is. */
export function robotsText(site: Site): string {
  return `User-agent: *\nAllow: /\n\nSitemap: ${site.url}/sitemap.xml\n`;
}
