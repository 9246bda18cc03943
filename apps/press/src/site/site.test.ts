import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type StartedPress, startPress } from '../../testing/start-press.ts';
import { samplePost } from '../../testing/temporary-parts.ts';
import { publishPost } from '../posts/change-post.ts';

let press: StartedPress;
let token = '';
let number = 0;

beforeAll(async () => {
  press = await startPress({ seed: true });
  token = await press.operatorToken('writer');
});
afterAll(async () => {
  await press.close();
  expect(press.faults).toEqual([]);
});

async function read(path: string, init?: RequestInit) {
  const response = await fetch(press.url + path, init);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

async function save(slug: string, markdown: string, baseRevision: string | null = null): Promise<string> {
  const request = { operation: 'save', slug, markdown, baseRevision, idempotencyKey: `site-key-${number++}` };
  const { status, body } = await press.operate(token, request);
  expect([status, body.code]).toEqual([200, undefined]);
  return String(body.revision);
}

async function publish(slug: string, markdown: string): Promise<string> {
  const revision = await save(slug, markdown);
  const outcome = await publishPost(press.parts, { label: 'boss', slug, revision });
  if (outcome.kind !== 'done' || outcome.revision === null) throw new Error(outcome.kind);
  return outcome.revision;
}

const front = (title: string, more = '') =>
  `---\ntitle: ${title}\ndate: 2026-11-30\nstatus: draft\n${more}---\n`;

/** Every address that a reader can find by following links, feeds and the sitemap from the front page. */
async function crawl(): Promise<ReadonlyMap<string, string>> {
  const seen = new Map<string, string>();
  const waiting = [
    '/',
    '/feed.atom',
    '/feed.json',
    '/sitemap.xml',
    '/llms.txt',
    '/robots.txt',
    '/nowhere',
    '/search?q=the',
  ];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (seen.has(path)) continue;
    const { text, headers } = await read(path);
    seen.set(path, `${JSON.stringify([...headers])}\n${text}`);
    const addresses = [
      ...text.matchAll(/(?:href|action|src)="([^"]+)"|<loc>([^<]+)<|\((http[^)]+)\)|"url":"([^"]+)"/g),
    ];
    for (const [, ...found] of addresses) {
      const url = new URL(found.find((each) => each !== undefined) ?? '/', press.url + path);
      if (url.origin === press.url) waiting.push(url.pathname + url.search);
    }
  }
  return seen;
}

describe('the demonstration', () => {
  it('is a small site that says it is made up', async () => {
    const { text } = await read('/');
    expect(text.match(/href="\/posts\//g)).toHaveLength(3);
    expect((await read('/posts/the-bell-buoy')).text).toContain('made up');
    expect((await press.operate(token, { operation: 'status' })).body).toMatchObject({
      inSync: true,
      posts: { published: 3, drafts: 1 },
    });
  });

  it('passes every gate', async () => {
    const { body } = await press.operate(token, { operation: 'list' });
    for (const { slug } of body.posts as { slug: string }[]) {
      const { body: post } = await press.operate(token, { operation: 'get', slug });
      const checked = await press.operate(token, { operation: 'check', slug, markdown: post.markdown });
      expect(checked.body.problems).toEqual([]);
    }
  });
});

describe('a draft', () => {
  it('is on no page, in no feed, and not found by its words', async () => {
    await save(
      'unseen-thing',
      `${front('Unseen thing', 'summary: Xylographica\ntags: [unseen]\n')}Xylographica is not to be read yet.\n`,
    );
    const pages = await crawl();
    expect(pages.size).toBeGreaterThan(10);
    for (const [path, text] of pages)
      expect([path, /xylographica|unseen/i.test(text)]).toEqual([path, false]);
    expect((await read('/search?q=xylographica')).text).toContain('Nothing was found');
    const { results } = await press.parts.database.prepare('SELECT slug FROM search').all<{ slug: string }>();
    expect(results.map(({ slug }) => slug)).not.toContain('unseen-thing');
  });

  it('is as absent as a post that never was', async () => {
    await save('quiet-draft', samplePost('draft'));
    const answer = async (slug: string) => {
      const { status, headers, text } = await read(`/posts/${slug}`);
      return [status, [...headers].filter(([name]) => name !== 'date'), text];
    };
    expect(await answer('quiet-draft')).toEqual(await answer('never-was'));
    expect((await answer('quiet-draft'))[0]).toBe(404);
  });
});

describe('a draft that an index had after all', () => {
  it('is still not found', async () => {
    await save('leaked-draft', samplePost('draft', 'Thylacines.'));
    const row =
      "INSERT INTO search (slug, title, summary, body) VALUES ('leaked-draft', 'x', '', 'thylacines')";
    await press.parts.database.prepare(row).run();
    expect((await read('/search?q=thylacines')).text).toContain('Nothing was found');
  });
});

describe('nothing that a reader can find', () => {
  it('mentions the publishing API or the admin page', async () => {
    for (const [path, text] of await crawl())
      expect([path, /\/api|operator|\/admin|\btoken\b|openapi|bearer|www-authenticate/i.test(text)]).toEqual([
        path,
        false,
      ]);
  });

  it('is at the address of the API for whoever just looks', async () => {
    const nothing = await read('/nowhere');
    for (const path of ['/api/operator', '/api', '/api/', '/openapi.json', '/.well-known/openapi.json'])
      expect(await read(path)).toMatchObject({ status: nothing.status, text: nothing.text });
    expect((await read('/api/operator', { method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('a published post', () => {
  it('is everywhere: its page, both feeds, the sitemap, llms.txt and search', async () => {
    await publish(
      'everywhere',
      `${front('Every & <where>', 'summary: "A \\"summary\\""\n')}Quokkas [link](https://example.org/?a=1&b=2).\n`,
    );
    expect((await read('/posts/everywhere')).text).toContain('<h1>Every &amp; &lt;where&gt;</h1>');
    expect((await read('/search?q=quokk')).text).toContain('/posts/everywhere');
    expect((await read('/sitemap.xml')).text).toContain(`<loc>${press.url}/posts/everywhere</loc>`);
    expect((await read('/llms.txt')).text).toContain(`](${press.url}/posts/everywhere): A "summary"`);
    expect((await read('/feed.atom')).text).toContain('<title>Every &amp; &lt;where&gt;</title>');
    const feed = JSON.parse((await read('/feed.json')).text);
    expect(feed.items).toContainEqual(
      expect.objectContaining({ url: `${press.url}/posts/everywhere`, title: 'Every & <where>' }),
    );
  });

  it('is nowhere once it is taken down, and again everywhere once it is back', async () => {
    const revision = await publish('up-and-down', `${front('Up and down')}Numbats.\n`);
    const shown = async () => [
      (await read('/posts/up-and-down')).status,
      ...(await Promise.all(
        ['/', '/feed.atom', '/feed.json', '/sitemap.xml', '/llms.txt', '/search?q=numbats'].map(
          async (path) => (await read(path)).text.includes('/posts/up-and-down'),
        ),
      )),
    ];
    expect(new Set(await shown())).toEqual(new Set([200, true]));
    const down = await save('up-and-down', `${front('Up and down')}Numbats.\n`, revision);
    expect(new Set(await shown())).toEqual(new Set([404, false]));
    await save('up-and-down', `${front('Up and down').replace('draft', 'published')}Numbats.\n`, down);
    expect(new Set(await shown())).toEqual(new Set([200, true]));
  });

  it('can run nothing in a reader’s browser', async () => {
    const sly = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      '[a](javascript:alert(1))',
      '[b](vbscript:x) ![c](data:text/html;base64,PHNjcmlwdD4=)',
      '[d]: javascript:alert(1)\n\n[d]',
      '<a href="&#106;avascript:alert(1)">e</a>',
      '`<script>`',
    ].join('\n\n');
    await publish('sly', `${front('"</title><script>x</script>"')}${sly}\n`);
    const { text, headers } = await read('/posts/sly');
    expect(text).not.toMatch(/<script|<img src=x|href="(?:javascript|vbscript)|src="data:text/i);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    for (const path of ['/feed.atom', '/sitemap.xml', '/'])
      expect((await read(path)).text).not.toContain('<script');
  });
});

describe('search', () => {
  it.each([
    '"',
    '* OR 1',
    'title:fog',
    'NEAR(a b)',
    'AND',
    '(',
    '-',
    'a"b',
    '\u0000',
    '%',
    "';DROP TABLE posts;--",
    'x'.repeat(5000),
  ])('takes %j for words', async (question) => {
    expect((await read(`/search?q=${encodeURIComponent(question)}`)).status).toBe(200);
  });

  it('shows the question as text', async () => {
    const { text } = await read(`/search?q=${encodeURIComponent('"><script>x</script>')}`);
    expect(text).not.toContain('<script');
  });
});

describe('addresses', () => {
  it.each([
    '/posts/Fog-On-The-Causeway',
    '/posts/fog-on-the-causeway/',
    '/posts/..%2ffog',
    '/posts/%66og-on-the-causeway',
    '/posts/',
    '/?page=0',
    '/?page=99',
    '/?page=x',
    '/__proto__',
    '/constructor',
  ])('%s is not there', async (path) => {
    expect((await read(path)).status).toBe(404);
  });

  it('answer HEAD without a body, and other methods not at all', async () => {
    expect(await read('/', { method: 'HEAD' })).toMatchObject({ status: 200, text: '' });
    expect((await read('/', { method: 'POST', body: 'x' })).status).toBe(404);
    expect((await read('/posts/the-bell-buoy', { method: 'DELETE' })).status).toBe(404);
  });
});
