import type { ListenCounters } from '@unsay/mcp';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Gauges, Metrics } from './metrics.ts';

// From half a millisecond, the cost of a read, to the window in which a correction still cuts a sentence.
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

const STREAM_COUNTERS = {
  sent: ['unsay_frames_sent_total', 'Frames written to streams'],
  withheld: ['unsay_frames_withheld_total', 'Frames not written: the principal may not hear of the change'],
  coalesced: ['unsay_frames_coalesced_total', 'Changes merged into one that already waited'],
  expired: ['unsay_streams_expired_total', 'Streams ended because their token ended'],
  cutOff: ['unsay_readers_cut_off_total', 'Readers cut off because they stalled'],
  refused: ['unsay_streams_refused_total', 'Streams refused at the limit of one principal'],
} as const satisfies Partial<Record<keyof ListenCounters, readonly [string, string]>>;

/** Numbers of their own, shared with no other server of the process. */
export function createPrometheus(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Counter({
    name: 'unsay_http_requests_total',
    help: 'HTTP requests by route, method and status',
    labelNames: ['route', 'method', 'status'],
    registers,
  });
  const requestSeconds = new Histogram({
    name: 'unsay_http_request_seconds',
    help: 'Seconds until the answer of an HTTP request is written, or its stream is open',
    labelNames: ['route'],
    buckets: SECONDS,
    registers,
  });
  const messages = new Counter({
    name: 'unsay_mcp_requests_total',
    help: 'Requests at the MCP path by era, method of the protocol and HTTP status',
    labelNames: ['era', 'method', 'status'],
    registers,
  });
  const messageSeconds = new Histogram({
    name: 'unsay_mcp_request_seconds',
    help: 'Seconds until the answer of an MCP request is written, or its stream is open',
    labelNames: ['era', 'method'],
    buckets: SECONDS,
    registers,
  });
  const writes = new Counter({
    name: 'unsay_writes_total',
    help: 'Attempts to write, as the audit log has them',
    labelNames: ['outcome', 'reason', 'via'],
    registers,
  });
  const limited = new Counter({
    name: 'unsay_rate_limited_total',
    help: 'Requests that were one too many, by what was limited',
    labelNames: ['kind'],
    registers,
  });
  const faults = new Counter({
    name: 'unsay_faults_total',
    help: 'Exceptions that callers were told of only as a fault',
    registers,
  });
  return {
    request({ route, method, status, seconds }) {
      requests.inc({ route, method, status });
      requestSeconds.observe({ route }, seconds);
    },
    message({ era, method, status, seconds }) {
      messages.inc({ era, method, status });
      messageSeconds.observe({ era, method }, seconds);
    },
    write: ({ count, ...labels }) => writes.inc(labels, count),
    fault: () => faults.inc(),
    limited: (kind) => limited.inc({ kind }),
    follow: (gauges) => follow(registry, gauges),
    watchProcess: () => collectDefaultMetrics({ register: registry }),
    text: () => registry.metrics(),
  };
}

function follow(registry: Registry, { streams, sessions, lag }: Gauges): void {
  const registers = [registry];
  for (const [key, [name, help]] of Object.entries(STREAM_COUNTERS)) {
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(streams()[key as keyof typeof STREAM_COUNTERS]);
      },
    });
  }
  new Gauge({
    name: 'unsay_streams_open',
    help: 'Open streams, of both eras',
    registers,
    collect() {
      this.set(streams().open);
    },
  });
  new Gauge({
    name: 'unsay_sessions',
    help: 'Sessions of the older protocol in memory',
    registers,
    collect() {
      this.set(sessions());
    },
  });
  new Gauge({
    name: 'unsay_journal_lag_entries',
    help: 'Entries of the journal that are written and not yet announced',
    registers,
    async collect() {
      this.set(await lag());
    },
  });
}
