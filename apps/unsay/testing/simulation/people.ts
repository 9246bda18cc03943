import type { TokenGrant } from '@unsay/auth/authorization-server';
import { SCOPES } from '../../src/domain/care-partition.ts';

/** One lane: whose facts, for which audience, under which names. No name stands in two lanes. */
export interface SimulatedLane {
  readonly subject: string;
  readonly audience: 'user' | 'assistant';
  readonly uris: readonly string[];
}

/** What a token lets its holder do. */
export type Rights = Pick<TokenGrant, 'sub' | 'clientId' | 'scopes' | 'subjects'>;

/** Who listens, in which era, and how much is left when the rights are narrowed. */
export interface ListenerPlan {
  readonly name: string;
  readonly era: 'modern' | 'legacy';
  readonly rights: Rights;
  readonly narrowed: Rights;
}

export const LANES: readonly SimulatedLane[] = [
  { subject: 'ray', audience: 'user', uris: urisOf('care', 'ray', 't0', 3) },
  { subject: 'ray', audience: 'assistant', uris: urisOf('care-internal', 'ray', 't1', 2) },
  { subject: 'mia', audience: 'user', uris: urisOf('care', 'mia', 't2', 2) },
  { subject: 'mia', audience: 'assistant', uris: urisOf('care-internal', 'mia', 't3', 2) },
];

export const EVERY_URI: readonly string[] = LANES.flatMap(({ uris }) => uris);

const BOTH = [SCOPES.readUser, SCOPES.readAssistant];
const SPOKEN = [SCOPES.readUser];

export const LISTENERS: readonly ListenerPlan[] = [
  plan('ray speaker', 'modern', rights('ray speaker', SPOKEN, ['ray']), ['mia']),
  plan('ray carer', 'modern', rights('ray carer', BOTH, ['ray', 'mia']), ['ray']),
  plan('mia speaker', 'legacy', rights('mia speaker', SPOKEN, ['mia']), ['ray']),
  plan('ward carer', 'legacy', rights('ward carer', BOTH, ['*']), ['ray']),
];

/** Who may write everything. Each has a name of its own, so that nobody meets another's requests. */
export function writerRights(name: string): Rights {
  return rights(name, [...BOTH, SCOPES.write], ['*']);
}

/** The lane of a URI; throws for one that is in none. */
export function laneOf(uri: string): SimulatedLane {
  const lane = LANES.find(({ uris }) => uris.includes(uri));
  if (lane === undefined) throw new Error(`${uri} is in no lane`);
  return lane;
}

/** Whether these rights reach a lane. Said here a second time, in other words than the product's. */
export function reaches({ scopes, subjects }: Rights, { subject, audience }: SimulatedLane): boolean {
  const scope = audience === 'user' ? SCOPES.readUser : SCOPES.readAssistant;
  return scopes.includes(scope) && (subjects.includes('*') || subjects.includes(subject));
}

function urisOf(scheme: string, subject: string, lane: string, count: number): readonly string[] {
  const names = ['wound', 'gait', 'walk'].slice(0, count);
  return names.map((name) => `${scheme}://${subject}/${lane}-${name}`);
}

function rights(sub: string, scopes: readonly string[], subjects: readonly string[]): Rights {
  return { sub, clientId: 'simulated', scopes, subjects };
}

// Narrowed to what may be spoken, to fewer subjects; a name is the same, so sessions and cursors stay theirs.
function plan(
  name: string,
  era: ListenerPlan['era'],
  full: Rights,
  subjects: readonly string[],
): ListenerPlan {
  return { name, era, rights: full, narrowed: { ...full, scopes: SPOKEN, subjects } };
}
