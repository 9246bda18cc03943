/** Requests as `openapi.json` describes them; what does not match it never becomes one of these. */
export type OperatorRequest =
  | {
      readonly operation: 'list';
      readonly status?: 'draft' | 'published';
      readonly after?: string;
      readonly limit?: number;
    }
  | { readonly operation: 'get'; readonly slug: string; readonly revision?: string }
  | {
      readonly operation: 'save';
      readonly slug: string;
      readonly markdown: string;
      readonly baseRevision: string | null;
      readonly idempotencyKey: string;
    }
  | {
      readonly operation: 'delete';
      readonly slug: string;
      readonly baseRevision: string;
      readonly idempotencyKey: string;
    }
  | { readonly operation: 'status' }
  | { readonly operation: 'check'; readonly slug: string; readonly markdown: string }
  | { readonly operation: 'history'; readonly slug: string; readonly limit?: number };

/** The name of an operation. */
export type Operation = OperatorRequest['operation'];
