/** A value that a statement is given or answers with. */
export type Value = string | number | null;

/**
 * One statement. D1's prepared statement has this shape, as far as Press uses it, so that the same queries run in a
 * Worker. At most 100 values may be bound to one statement there.
 */
export interface Statement {
  bind(...values: readonly Value[]): Statement;
  /** The first row, or null. */
  first<Row>(): Promise<Row | null>;
  all<Row>(): Promise<{ readonly results: readonly Row[] }>;
  run(): Promise<Outcome>;
}

/** What a statement did: how many rows it changed. */
export interface Outcome {
  readonly meta: { readonly changes: number };
}

/** The database. There is no BEGIN in D1: what belongs together goes into one `batch`, which happens whole or not at all. */
export interface Database {
  prepare(sql: string): Statement;
  batch(statements: readonly Statement[]): Promise<readonly Outcome[]>;
}
