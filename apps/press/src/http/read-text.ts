/** A body as text, or why there is none. */
export type ReadText =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-large' }
  /** The sender went away before the end. */
  | { readonly kind: 'cut-off' }
  | { readonly kind: 'not-utf-8' };

/** Reads a body of at most `limit` bytes; of a larger one no more than that is kept. */
export async function readText(request: Request, limit: number): Promise<ReadText> {
  if (Number(request.headers.get('content-length') ?? 0) > limit) return { kind: 'too-large' };
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for await (const chunk of request.body ?? []) {
      length += chunk.length;
      if (length > limit) return { kind: 'too-large' };
      chunks.push(chunk);
    }
  } catch {
    return { kind: 'cut-off' };
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  try {
    return { kind: 'text', text: new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) };
  } catch {
    return { kind: 'not-utf-8' };
  }
}
