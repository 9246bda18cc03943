import { beforeEach, expect, it } from 'vitest';
import { appendOf, sampleFact, sampleLane, versionAfter } from '../testing/sample-facts.ts';
import { createLaneFlights } from './lane-flights.ts';
import type { Append, AppendOutcome } from './store.ts';

const WALKING = sampleFact('user', 'ray', 'walking');
const lane = sampleLane(WALKING);
const APPENDED = { kind: 'appended', position: 1 } as AppendOutcome;

let flights: ReturnType<typeof createLaneFlights>;
beforeEach(() => {
  flights = createLaneFlights();
});

/** An append that is under way until the test ends it. */
function fly(append: Append): PromiseWithResolvers<AppendOutcome> {
  const outcome = Promise.withResolvers<AppendOutcome>();
  flights.of(lane).add(append, outcome.promise);
  return outcome;
}

function twoVersions(): [Append, Append] {
  const first = versionAfter({ fact: null, lane: null }, WALKING);
  const head = { ordinal: first.laneOrdinal, writtenAt: first.writtenAt };
  return [appendOf(first), appendOf(versionAfter({ fact: first, lane: head }, WALKING))];
}

it('a lane is followed by the newest of it that is under way, and by none when all are stored', async () => {
  const [first, second] = twoVersions();
  const one = fly(first);
  const two = fly(second);
  expect(flights.of(lane).head).toEqual({ ordinal: 2, writtenAt: second.version.writtenAt });
  expect(flights.of(lane).ofFact(WALKING.topic)?.version).toBe(second.version);
  one.resolve(APPENDED);
  await one.promise;
  expect(flights.of(lane).ofFact(WALKING.topic)?.version).toBe(second.version);
  two.resolve(APPENDED);
  await flights.of(lane).ended();
  expect(flights.of(lane).head).toBeNull();
  expect(flights.of(lane).ofFact(WALKING.topic)).toBeNull();
});

it.each(['moved', 'replayed', 'rejected'] as const)(
  'a lane is lost from an append that was %s until those after it have ended too',
  async (end) => {
    const [first, second] = twoVersions();
    const one = fly(first);
    const two = fly(second);
    expect(flights.of(lane).lost).toBe(false);
    if (end === 'rejected') one.reject(new Error('no room'));
    else one.resolve({ kind: end });
    await one.promise.catch(() => {});
    expect(flights.of(lane).lost).toBe(true);
    two.resolve({ kind: 'moved' });
    await flights.of(lane).ended();
    expect(flights.of(lane).lost).toBe(false);
  },
);

it('a request is under way from its append to the end of it', async () => {
  const [first] = twoVersions();
  const request = { id: 'a'.repeat(64), requestHash: 'b'.repeat(64), expiresAt: first.version.writtenAt };
  const one = fly({ ...first, request });
  expect(flights.of(lane).ofRequest(request.id)?.version).toBe(first.version);
  expect(flights.of({ ...lane, subject: sampleFact('user', 'eve', 'walking').subject }).head).toBeNull();
  one.resolve(APPENDED);
  await flights.of(lane).ended();
  expect(flights.of(lane).ofRequest(request.id)).toBeNull();
});
