/** A text in three parts, of which the middle one differs from another text. */
export interface Parts {
  readonly before: string;
  readonly changed: string;
  readonly after: string;
}

/** What differs between two texts, at word boundaries: `old` and `new` share `before` and `after`. */
export function changedSpan(old: string, fresh: string): { readonly old: Parts; readonly new: Parts } {
  const a = old.split(/(\s+)/u);
  const b = fresh.split(/(\s+)/u);
  const most = Math.min(a.length, b.length);
  let start = 0;
  while (start < most && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < most - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  return { old: parts(a, start, end), new: parts(b, start, end) };
}

function parts(pieces: readonly string[], start: number, end: number): Parts {
  const stop = pieces.length - end;
  return {
    before: pieces.slice(0, start).join(''),
    changed: pieces.slice(start, stop).join(''),
    after: pieces.slice(stop).join(''),
  };
}
