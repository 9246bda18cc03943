/** A value that JSON can carry. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** A JSON object: what MCP calls `params`, a schema or `_meta`. */
export type JsonObject = { readonly [key: string]: JsonValue };

/** True for a JSON object, false for an array, null and every scalar. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
