import type { Topic } from './fact-uri.ts';
import type { Lane } from './partition.ts';
import { laneKey } from './partition.ts';
import type { Append, AppendOutcome, LaneHead } from './store.ts';
import type { FactVersion } from './version.ts';

/** A version that is on its way into the store. */
export interface Flight {
  readonly version: FactVersion;
  /** Resolves when its append has ended, however it ended. */
  readonly ended: Promise<unknown>;
}

/**
 * The versions of one lane that are on their way into the store, each following the one before. The next follows
 * the newest of them; nobody is told of any before it is stored.
 */
export interface LaneFlights {
  /** Their newest; null when there is none. */
  readonly head: LaneHead | null;
  /** One was not stored, so nothing can be that follows it: the next waits until all have ended. */
  readonly lost: boolean;
  /** The newest of one fact. */
  ofFact(topic: Topic): Flight | null;
  /** The one that answers a request. */
  ofRequest(id: string): Flight | null;
  add(append: Append, outcome: Promise<AppendOutcome>): void;
  /** Resolves when none is under way. */
  ended(): Promise<unknown>;
}

/** The flights of every lane of this process. A lane without any takes no memory. */
export function createLaneFlights(): { of(lane: Lane): LaneFlights } {
  const lanes = new Map<string, LaneFlights>();
  return {
    of(lane) {
      const key = laneKey(lane);
      const known = lanes.get(key);
      if (known !== undefined) return known;
      const flights = flightsOfOneLane((isEmpty) => {
        if (isEmpty) lanes.delete(key);
        else lanes.set(key, flights);
      });
      return flights;
    },
  };
}

function flightsOfOneLane(changed: (isEmpty: boolean) => void): LaneFlights {
  const all = new Set<Flight>();
  const byTopic = new Map<Topic, Flight>();
  const byRequest = new Map<string, Flight>();
  let head: LaneHead | null = null;
  let lost = false;

  function end(flight: Flight, request: string | null, stored: boolean): void {
    all.delete(flight);
    if (byTopic.get(flight.version.topic) === flight) byTopic.delete(flight.version.topic);
    if (request !== null) byRequest.delete(request);
    if (!stored) lost = true;
    if (all.size > 0) return;
    head = null;
    lost = false;
    changed(true);
  }

  return {
    get head() {
      return head;
    },
    get lost() {
      return lost;
    },
    ofFact: (topic) => byTopic.get(topic) ?? null,
    ofRequest: (id) => byRequest.get(id) ?? null,
    add({ version, request }, outcome) {
      const id = request?.id ?? null;
      const ended: Promise<unknown> = outcome.then(
        ({ kind }) => end(flight, id, kind === 'appended'),
        () => end(flight, id, false),
      );
      const flight: Flight = { version, ended };
      all.add(flight);
      byTopic.set(version.topic, flight);
      if (id !== null) byRequest.set(id, flight);
      head = { ordinal: version.laneOrdinal, writtenAt: version.writtenAt };
      changed(false);
    },
    ended: () => Promise.all([...all].map((flight) => flight.ended)),
  };
}
