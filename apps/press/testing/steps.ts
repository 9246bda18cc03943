/** Where a change can be killed. */
export const STEPS = [
  'before the commit',
  'during the commit',
  'after the commit',
  'after the database',
  'after the index',
] as const;

/** One of them. */
export type Step = (typeof STEPS)[number];
