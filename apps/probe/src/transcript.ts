import type { Answer, Arrival, Kept } from './arrival.ts';
import { clientsIn, reportOn } from './report.ts';
import type { StoredArrival } from './store.ts';

/** What one client did, request by request: a fixture that can be replayed. */
export interface Transcript {
  readonly client: string;
  readonly version: string;
  /** When it was captured, in ISO 8601. */
  readonly date: string;
  /** `captured` from a program that ran, or `reconstructed` from what someone reported of one. */
  readonly origin: 'captured' | 'reconstructed';
  readonly phase: string;
  readonly era: string | null;
  readonly oddities: readonly string[];
  readonly steps: readonly TranscriptStep[];
}

export interface TranscriptStep {
  readonly method: string;
  readonly path: string;
  readonly query?: { readonly [key: string]: Kept };
  readonly headers: { readonly [name: string]: string };
  readonly body?: Kept;
  /** What the probe answered. */
  readonly answer: Answer;
}

/** Headers that a connection has of its own and that a replay sends anew. */
const OF_THE_CONNECTION = ['host', 'connection', 'content-length', 'accept-encoding', 'transfer-encoding'];

/** A transcript of each client of a store. */
export function transcriptsOf(arrivals: readonly StoredArrival[]): readonly Transcript[] {
  const clients = clientsIn(arrivals);
  return reportOn(arrivals).map(({ client, version, day, phase, era, oddities }, i) => ({
    client,
    version,
    date: day,
    origin: 'captured',
    phase,
    era,
    oddities,
    steps: (clients[i] ?? []).map(stepOf),
  }));
}

function stepOf({ method, path, query, headers, body, answer }: Arrival): TranscriptStep {
  const sent = Object.entries(headers).filter(([name]) => !OF_THE_CONNECTION.includes(name));
  return {
    method,
    path,
    ...(Object.keys(query).length > 0 && { query }),
    headers: Object.fromEntries(sent),
    ...(body !== null && { body }),
    answer,
  };
}
