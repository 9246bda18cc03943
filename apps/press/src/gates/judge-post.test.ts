import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgePost, POST_LIMIT } from './judge-post.ts';

const FRONT = 'title: Fog on the causeway\ndate: 2026-11-30\nstatus: draft\n';
const post = (front = FRONT, body = 'The tide table is new.\n') => `---\n${front}---\n${body}`;
const front = (line: string) => post(`title: Fog\ndate: 2026-11-30\nstatus: draft\n${line}\n`);

function problems(markdown: string, slug = 'fog') {
  const judged = judgePost(slug, markdown);
  return judged.kind === 'passed'
    ? []
    : judged.problems.map(({ rule, line, column }) => `${rule} ${line}:${column}`);
}

describe('a post that passes', () => {
  it.each([
    ['a plain one', post()],
    ['every field', front('summary: "Where: the north end"\ntags: [tides, "2026"]')],
    ['no as a word', front('summary: no')],
    ['an instant with its zone', post('title: a\ndate: 2026-11-30T09:00:00+01:00\nstatus: draft\n')],
    ['a fence in a code block', post(FRONT, '```yaml\n---\ntitle: not this one\n---\n```\n')],
    ['a rule in the body', post(FRONT, 'One.\n\n---\n\nTwo.\n')],
    ['a tab in the body', post(FRONT, '\tcode\n')],
    ['a minus sign', post(FRONT, 'It is \u22125 degrees.\n')],
  ])('%s', (_name, markdown) => {
    expect(problems(markdown)).toEqual([]);
  });

  it('keeps no, 012 in quotes and dates as they were written', () => {
    const judged = judgePost('fog', front('summary: no\ntags: ["012", no]'));
    expect(judged).toMatchObject({
      kind: 'passed',
      post: { frontMatter: { summary: 'no', tags: ['012', 'no'], date: '2026-11-30' } },
    });
  });
});

describe('a refusal names rule, line and column', () => {
  it.each([
    ['no front matter', 'The tide table.\n', 'fence 1:1'],
    ['front matter that is code', '---js\n{ title: require("fs") }\n---\nx\n', 'fence 1:1'],
    ['a fence with a space after it', '--- \ntitle: a\n---\nx\n', 'fence 1:1'],
    ['a fence that never closes', '---\ntitle: a\n', 'fence 1:1'],
    ['a byte-order mark', `\uFEFF${post()}`, 'encoding 1:1'],
    ['a function', front('summary: !!js/function "() => 1"'), 'yaml 5:10'],
    ['a tag of the core schema', front('summary: !!str 012'), 'yaml 5:16'],
    ['a tag of its own', front('summary: !secret x'), 'yaml 5:10'],
    ['a merge key', front('<<: { title: x }'), 'front-matter 5:1'],
    [
      'a date without a zone',
      post('title: a\ndate: 2026-11-30T09:00:00\nstatus: draft\n'),
      'front-matter 3:7',
    ],
    ['a day that there is not', post('title: a\ndate: 2026-02-30\nstatus: draft\n'), 'front-matter 3:7'],
    ['012 where text is meant', post('title: 012\ndate: 2026-11-30\nstatus: draft\n'), 'front-matter 2:8'],
    ['an octal where text is meant', front('summary: 0o14'), 'front-matter 5:10'],
    ['true where text is meant', front('summary: true'), 'front-matter 5:10'],
    ['a number among the tags', front('tags: [fog, 012]'), 'front-matter 5:13'],
    ['tags that are no list', front('tags: fog'), 'front-matter 5:7'],
    ['a status of its own', post('title: a\ndate: 2026-11-30\nstatus: live\n'), 'front-matter 4:9'],
    ['a field that there is not', front('draft: no'), 'front-matter 5:1'],
    ['a field of the language', front('__proto__: { status: published }'), 'front-matter 5:1'],
    ['a field that is missing', post('title: a\ndate: 2026-11-30\n'), 'front-matter 2:1'],
    ['no field at all', post('# nothing\n'), 'front-matter 2:1'],
    ['a duplicate key', front('title: Again'), 'yaml 5:1'],
    ['a tab for indentation', front('tags:\n\t- fog'), 'yaml 6:1'],
    ['a title of two lines', post('title: "a\\nb"\ndate: 2026-11-30\nstatus: draft\n'), 'front-matter 2:8'],
    ['an em dash', post(FRONT, 'Fog.\n\nIt came \u2014 and went.\n'), 'wide-dash 8:9'],
    ['a dash spelled as a reference', post(FRONT, 'It came &#x2014; and went.\n'), 'wide-dash 6:9'],
    ['a dash spelled by name', post(FRONT, 'It came &ndash; and went.\n'), 'wide-dash 6:9'],
    ['a dash spelled as an escape', front('summary: "a \\u2014 b"'), 'wide-dash 5:10'],
    [
      'an escaped dash beside one that shows',
      post('title: "\\u2014"\ndate: 2026-11-30\nstatus: draft\nsummary: a \u2014 b\n'),
      'wide-dash 2:8',
    ],
    ['lists in lists without end', post(`title: ${'['.repeat(9000)}\n`), 'yaml 2:766'],
    ['a null character', post(FRONT, 'a\0b\n'), 'encoding 6:2'],
    ['half of a character', post(FRONT, 'ab\uD83Dc\n'), 'encoding 6:3'],
    ['text that is written backwards', post(FRONT, 'a\u202Eb\n'), 'encoding 6:2'],
    ['no text', post(FRONT, '\n \n'), 'body 8:1'],
  ])('%s', (_name, markdown, expected) => {
    expect(problems(markdown)).toContain(expected);
  });

  it('an alias bomb, at its first anchor, without opening it', () => {
    const bomb = [
      'a: &a [x, x]',
      ...'bcdefghij'.split('').map((name, i) => `${name}: &${name} [*${'abcdefghi'[i]}, *${'abcdefghi'[i]}]`),
    ];
    expect(problems(front(bomb.join('\n')))[0]).toBe('yaml 5:7');
  });

  it('carriage returns, each where it stands', () => {
    expect(problems(post().replaceAll('\n', '\r\n'))).toEqual(
      ['1:4', '2:27', '3:17', '4:14', '5:4', '6:23'].map((place) => `encoding ${place}`),
    );
  });

  it('a post of 6 MB, from where it is too long', () => {
    expect(problems(post(FRONT, 'x'.repeat(6_000_000)))).toEqual([
      `size 6:${POST_LIMIT - post(FRONT, '').length + 1}`,
    ]);
  });

  it('a large post of long characters by its bytes, not its length', () => {
    expect(problems(post(FRONT, '\u20AC'.repeat(100_000)))).toHaveLength(1);
  });

  it('the fiftieth place and no more', () => {
    expect(problems(post(FRONT, '\u2014'.repeat(500)))).toHaveLength(50);
  });
});

describe('a slug', () => {
  it.each([
    ['../x', 1],
    ['a/../b', 2],
    ['a%2fb', 2],
    ['Fog', 1],
    ['fOg', 2],
    ['fog-', 4],
    ['-fog', 1],
    ['fog--bank', 4],
    ['f\u00F6hn', 2],
    ['', 1],
    ['a'.repeat(300), 81],
    ['fog\n', 4],
    ['con.md', 4],
  ])('%j is refused at column %i', (slug, column) => {
    expect(problems(post(), slug)).toEqual([`slug 1:${column}`]);
  });

  it.each(['fog', 'a', '2026-11-30', 'a'.repeat(80)])('%j is accepted', (slug) => {
    expect(problems(post(), slug)).toEqual([]);
  });
});

describe('for every input', () => {
  const clean = fc.string({ unit: fc.constantFrom(...'abc \n-'), minLength: 1 }).map((text) => `x${text}`);
  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 300 }),
    fc
      .string({ unit: fc.constantFrom(...'-\n:ab&*!{}[]"\'|>#%\t\r '), maxLength: 80 })
      .map((text) => post(text)),
  );

  it('the gates answer, and every place is one of the text', () => {
    fc.assert(
      fc.property(anything, fc.string({ unit: 'binary', maxLength: 100 }), (markdown, slug) => {
        const judged = judgePost(slug, markdown);
        const lines = { slug: slug.split('\n'), markdown: markdown.split('\n') };
        for (const found of judged.kind === 'refused' ? judged.problems : []) {
          const text = lines[found.in][found.in === 'slug' ? 0 : found.line - 1];
          expect(text).toBeDefined();
          expect(found.column).toBeGreaterThan(0);
          expect(found.column).toBeLessThanOrEqual(
            Math.max(found.in === 'slug' ? slug.length : (text ?? '').length, 0) + 1,
          );
          expect(found.message).toMatch(/\.$/);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('a dash is found where it was put, and the rest is left alone', () => {
    const dash = fc.constantFrom(
      '\u2012',
      '\u2013',
      '\u2014',
      '\u2015',
      '\u2E3A',
      '\u2E3B',
      '\uFE58',
      '\uFF0D',
      '&mdash;',
      '&#8211;',
      '&#X2015;',
    );
    fc.assert(
      fc.property(clean, clean, dash, (before, after, wide) => {
        expect(problems(post(FRONT, before + after))).toEqual([]);
        const lines = post(FRONT, before).split('\n');
        const place = `wide-dash ${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
        expect(problems(post(FRONT, before + wide + after))).toEqual([place]);
      }),
    );
  });

  it('the body is what stands below the first fence that closes, and another status changes nothing else', () => {
    fc.assert(
      fc.property(clean, fc.constantFrom('draft', 'published'), (body, status) => {
        const before = `title: 'draft'\nstatus: "${status}" # draft\ndate: 2026-11-30`;
        const judged = judgePost('fog', post(`${before}\n`, body));
        if (judged.kind === 'refused') throw new Error('a clean post was refused');
        expect(judged.post.body).toBe(body);
        const changed = judged.post.withStatus('published');
        expect(changed).toBe(post(`${before.replace(`"${status}"`, 'published')}\n`, body));
        expect(judgePost('fog', changed)).toMatchObject({ post: { frontMatter: { status: 'published' } } });
      }),
    );
  });
});
