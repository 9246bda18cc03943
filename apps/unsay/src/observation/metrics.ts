import type { ListenCounters, ObservedAnswer, ObservedMethod } from '@unsay/mcp';

/** What is asked anew at each look at the numbers. */
export interface Gauges {
  readonly streams: () => ListenCounters;
  readonly sessions: () => number;
  /** How many entries of the journal are written and not yet announced. */
  readonly lag: () => Promise<number>;
}

/**
 * The numbers of one server. Every label is of a closed list: no URI, subject, client or word of a caller's is
 * ever one. They count what all principals do, so only an operator may see them.
 */
export interface Metrics {
  request(seen: { route: string; method: string; status: number; seconds: number }): void;
  message(seen: ObservedAnswer & { method: ObservedMethod; seconds: number }): void;
  write(seen: { outcome: string; reason: string; via: string; count: number }): void;
  fault(): void;
  /** A request that was one too many. */
  limited(kind: string): void;
  /** Asks these at each look from now on. */
  follow(gauges: Gauges): void;
  /** Also tells of the process: memory, processor, event loop, garbage. */
  watchProcess(): void;
  /** The Prometheus text format, version 0.0.4. */
  text(): Promise<string>;
}

/** The media type of {@link Metrics.text}. */
export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/**
 * Numbers of their own, shared with no other server of the process. What counts them is loaded when there is the first
 * request to count, or somebody looks: a server starts without. What is told until then waits.
 */
export function createMetrics(): Metrics {
  let counting: Metrics | null = null;
  let loading: Promise<Metrics> | null = null;
  const waiting: ((metrics: Metrics) => void)[] = [];

  async function load(): Promise<Metrics> {
    const { createPrometheus } = await import('./prometheus.ts');
    const metrics = createPrometheus();
    for (const tell of waiting.splice(0)) tell(metrics);
    counting = metrics;
    return metrics;
  }

  function loaded(): Promise<Metrics> {
    loading ??= load();
    return loading;
  }

  function tell(what: (metrics: Metrics) => void): void {
    if (counting === null) waiting.push(what);
    else what(counting);
  }

  function count(what: (metrics: Metrics) => void): void {
    tell(what);
    void loaded();
  }

  return {
    request: (seen) => count((metrics) => metrics.request(seen)),
    message: (seen) => count((metrics) => metrics.message(seen)),
    write: (seen) => count((metrics) => metrics.write(seen)),
    fault: () => count((metrics) => metrics.fault()),
    limited: (kind) => count((metrics) => metrics.limited(kind)),
    follow: (gauges) => tell((metrics) => metrics.follow(gauges)),
    watchProcess: () => tell((metrics) => metrics.watchProcess()),
    text: async () => (await loaded()).text(),
  };
}
