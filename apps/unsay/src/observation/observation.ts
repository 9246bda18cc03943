import type { AuditEntry, Clock } from '@unsay/live-resources';
import type { ObservedAnswer, ObserveMessage } from '@unsay/mcp';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { AnsweredRequest } from '../http/context.ts';
import { createLog, type Log, type LogLevel } from './log.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { createUriHash } from './uri-hash.ts';

/** What an operator learns of a running server: counts, a log, and traces where somebody collects them. */
export interface Observation {
  readonly log: Log;
  readonly metrics: Metrics;
  /** Told of every exception that a caller is not told of. */
  readonly onFault: (error: unknown) => void;
  /** Begins an HTTP request; what it gives is called when the answer is written or a stream is open. */
  readonly request: () => (answered: AnsweredRequest) => void;
  readonly message: ObserveMessage;
  /** The same trail, counted. */
  trail(trail: AuditTrail): AuditTrail;
}

/** What an observation is made of. */
export interface ObservationParts {
  readonly clock: Clock;
  /** Milliseconds of a clock that never goes back. */
  readonly monotonicNow: () => number;
  /** A secret of the data folder, from which the key of the URIs is derived. */
  readonly secret: Uint8Array;
  /** False when nobody collects traces, so that nothing of them need be loaded; by default that is not known. */
  readonly isTraced?: () => boolean;
  readonly level?: LogLevel;
  /** Where the log goes; by default to standard error. */
  readonly output?: (line: string) => void;
}

const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Observes one server. */
export function createObservation(parts: ObservationParts): Observation {
  const { clock, monotonicNow, isTraced = () => true } = parts;
  const log = createLog(clock, parts.level, parts.output);
  const metrics = createMetrics();
  const hash = createUriHash(parts.secret);
  const logsRequests = log.level === 'requests';

  function written(entry: AuditEntry): void {
    const { outcome, reason, via, count, uri } = entry;
    metrics.write({ outcome, reason: reason ?? 'none', via, count });
    if (logsRequests)
      log.write({ event: 'write', outcome, reason, via, count, uri: uri === null ? null : hash(uri) });
  }

  async function answeredInSpan(...[message, answer]: Parameters<ObserveMessage>): Promise<ObservedAnswer> {
    const { traced } = await import('./traces.ts');
    return traced(message, hash, answer);
  }

  return {
    log,
    metrics,
    onFault(error) {
      metrics.fault();
      log.fault(error);
    },
    request() {
      const began = monotonicNow();
      return ({ route, method: sent = '', status }) => {
        const ms = monotonicNow() - began;
        const method = METHODS.has(sent) ? sent : 'other';
        metrics.request({ route, method, status, seconds: ms / 1000 });
        if (logsRequests) log.write({ event: 'request', route, method, status, ms: rounded(ms) });
      };
    },
    async message(message, answer) {
      const began = monotonicNow();
      const { era, status } = isTraced() ? await answeredInSpan(message, answer) : await answer();
      const ms = monotonicNow() - began;
      const { method, uri } = message;
      metrics.message({ era, method, status, seconds: ms / 1000 });
      if (!logsRequests) return;
      const hashed = uri === null ? null : hash(uri);
      log.write({ event: 'message', era, method, status, ms: rounded(ms), uri: hashed });
    },
    trail: (trail) => ({
      async refused(entry, nonce) {
        const outcome = await trail.refused(entry, nonce);
        // The row of a signature that was used before follows, with that as its reason.
        if (outcome === 'recorded') written(entry);
        return outcome;
      },
      accepted(entry) {
        written(entry);
        trail.accepted(entry);
      },
    }),
  };
}

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
