import MarkdownIt from 'markdown-it';

// No HTML of the writer's: what looks like a tag is shown as text.
const markdownIt = new MarkdownIt({ html: false, linkify: false, typographer: false });

/** The body of a post as HTML. */
export function renderMarkdown(body: string): string {
  return markdownIt.render(body);
}

/** The words of a body, for searching: no marks, no addresses. */
export function wordsOfMarkdown(body: string): string {
  return markdownIt
    .parse(body, {})
    .flatMap(({ content, children }) =>
      children === null
        ? [content]
        : children.map((child) => (child.type === 'softbreak' ? ' ' : child.content)),
    )
    .filter((text) => text !== '')
    .join(' ');
}
