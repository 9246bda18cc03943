import { parse } from '@humanwhocodes/momoa';

/**
 * Parses bytes as one JSON object in UTF-8 whose objects name each key once, or null.
 *
 * JSON.parse keeps the last of two equal keys where another reader keeps the first; a body with both would
 * mean two things under one signature.
 */
export function parseStrictObject(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return hasTwin(parse(text, { mode: 'json' }).body) ? null : (value as Record<string, unknown>);
  } catch {
    return null;
  }
}

type Node = ReturnType<typeof parse>['body'];

function hasTwin(node: Node): boolean {
  if (node.type === 'Array') return node.elements.some((element) => hasTwin(element.value));
  if (node.type !== 'Object') return false;
  const names = new Set<string>();
  return node.members.some(({ name, value }) => {
    const key = name.type === 'String' ? name.value : name.name;
    const twin = names.has(key);
    names.add(key);
    return twin || hasTwin(value);
  });
}
