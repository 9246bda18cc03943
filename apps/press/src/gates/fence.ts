/** A post taken apart at its fence; offsets are in the whole text. */
export interface Fenced {
  readonly kind: 'fenced';
  readonly yaml: string;
  readonly yamlStart: number;
  readonly body: string;
  readonly bodyStart: number;
}

/** Why a text has no fence that counts. */
export interface Unfenced {
  readonly kind: 'unfenced';
  readonly offset: number;
  readonly message: string;
}

/**
 * Takes a post apart. The fence is our own and knows one form: `---` alone on the first line, and `---` alone on the
 * first later line that is so. What stands below that is body, whatever it looks like. A byte-order mark and
 * carriage returns are read over here, since posts of old may have them.
 */
export function readFence(text: string): Fenced | Unfenced {
  const start = text.startsWith('\uFEFF') ? 1 : 0;
  const opening = /^---\r?\n/.exec(text.slice(start, start + 5));
  if (opening === null) return { kind: 'unfenced', offset: 0, message: openingMessage(text.slice(start)) };
  const yamlStart = start + opening[0].length;
  const closing = /^---\r?(?:\n|$(?![\s\S]))/m.exec(text.slice(yamlStart));
  if (closing === null)
    return {
      kind: 'unfenced',
      offset: start,
      message: 'The front matter that starts here does not end. Close it with a line of three hyphens.',
    };
  const yamlEnd = yamlStart + closing.index;
  const bodyStart = yamlEnd + closing[0].length;
  return {
    kind: 'fenced',
    yaml: text.slice(yamlStart, yamlEnd),
    yamlStart,
    body: text.slice(bodyStart),
    bodyStart,
  };
}

function openingMessage(text: string): string {
  return /^---\S/.test(text)
    ? 'Front matter is YAML and nothing else: the first line is three hyphens with no language after them.'
    : 'The post does not start with front matter. Make the first line three hyphens, alone.';
}
