/** The parts of a bare fact URI. */
export interface FactName {
  readonly scheme: string;
  readonly subject: string;
  readonly topic: string;
}

const FACT_URI = /^([a-z][a-z0-9-]{0,63}):\/\/([a-z0-9][a-z0-9_-]{0,63})\/([a-z0-9][a-z0-9_-]{0,63})$/;

/** Reads a bare fact URI (docs/spec/partition.md), or null. */
export function parseFactUri(uri: string): FactName | null {
  const [, scheme, subject, topic] = FACT_URI.exec(uri) ?? [];
  if (scheme === undefined || subject === undefined || topic === undefined) return null;
  return { scheme, subject, topic };
}
