import type { CommitDraft } from './repository.ts';

/** The one branch that Press reads and writes. */
export const BRANCH = 'refs/heads/main';

const ADDRESS = '<press@localhost.invalid>';

/**
 * A draft as a stream for `git fast-import --done`, which prints the id of the commit: one commit, all of its files,
 * or nothing. A stream that was cut off has no `done` and changes nothing.
 */
export function fastImportStream(draft: Omit<CommitDraft, 'parent'> & { parent: string | null }): Buffer {
  const seconds = Math.floor(draft.at / 1000);
  const files = [...draft.files].map(([path, text]) =>
    text === null
      ? Buffer.from(`D ${quoted(path)}\n`)
      : Buffer.concat([Buffer.from(`M 100644 inline ${quoted(path)}\n`), data(text)]),
  );
  return Buffer.concat([
    Buffer.from(`commit ${BRANCH}\nmark :1\n`),
    Buffer.from(`author ${name(draft.author)} ${ADDRESS} ${seconds} +0000\n`),
    Buffer.from(`committer Press ${ADDRESS} ${seconds} +0000\n`),
    data(draft.message),
    Buffer.from(draft.parent === null ? '' : `from ${draft.parent}\n`),
    ...files,
    Buffer.from('\nget-mark :1\ndone\n'),
  ]);
}

function data(text: string): Buffer {
  const bytes = Buffer.from(text, 'utf8');
  return Buffer.concat([Buffer.from(`data ${bytes.length}\n`), bytes, Buffer.from('\n')]);
}

// Both come from closed alphabets; a character that would end a line of the stream is a fault of our own.
function name(author: string): string {
  if (/^[\w .-]+$/.test(author)) return author;
  throw new Error('the author of a commit has a character that a commit cannot carry');
}

function quoted(path: string): string {
  if (/^\w[\w.-]*(\/\w[\w.-]*)*$/.test(path)) return path;
  throw new Error('the path of a file is not one that Press uses');
}
