/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

// XML cannot carry these in any spelling. The gates refuse them; posts from before the gates may have them.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const NOT_XML = /[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g;

/** A text with every character that means something in HTML and XML escaped, and none that XML cannot carry. */
export function escaped(text: string): string {
  return text.replace(NOT_XML, '\uFFFD').replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

/** Marks a text as HTML: only what was rendered or written here may be. */
export function trusted(html: string): Html {
  return { html };
}

/** HTML with values in it: each is escaped unless it is HTML itself; lists are joined. */
export function html(
  strings: TemplateStringsArray,
  ...values: readonly (string | number | Html | readonly Html[])[]
): Html {
  const parts = strings.map((text, i) => text + (i < values.length ? rendered(values[i] ?? '') : ''));
  return { html: parts.join('') };
}

function rendered(value: string | number | Html | readonly Html[]): string {
  if (typeof value === 'string') return escaped(value);
  if (typeof value === 'number') return String(value);
  return 'html' in value ? value.html : value.map((each) => each.html).join('');
}
