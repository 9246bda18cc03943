export interface ResourceIndicator {
  /** As it stands in `aud`. */
  readonly canonical: string;
  /**
   * Every way to say it (RFC 8707). One slash at the end makes no difference: libraries that keep the address as a URL
   * add it where the path is empty, people add it everywhere.
   */
  readonly spellings: readonly string[];
  means(indicator: string): boolean;
}

export function createResourceIndicator(resource: string): ResourceIndicator {
  const canonical = resource.endsWith('/') ? resource.slice(0, -1) : resource;
  const spellings = [canonical, `${canonical}/`];
  return { canonical, spellings, means: (indicator) => spellings.includes(indicator) };
}
