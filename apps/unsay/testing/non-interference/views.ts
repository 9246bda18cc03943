import type { TokenGrant } from '@unsay/auth/authorization-server';
import { SCOPES } from '../../src/domain/care-partition.ts';

/** Who takes part in a trace: a grant, or nobody in particular. */
export interface Person {
  readonly name: string;
  readonly grant: TokenGrant | null;
}

/**
 * What a group of observers may see, and what must not show to any of them. Observers are those who may see
 * no more than `seen`; outsiders are those whose doings no observer may learn of.
 */
export interface View {
  readonly name: string;
  readonly observers: readonly Person[];
  readonly outsiders: readonly Person[];
  readonly seen: readonly string[];
  readonly hidden: readonly string[];
}

const READS = [SCOPES.readUser, SCOPES.readAssistant];
const EVERYTHING = [...READS, SCOPES.write];
const TTL_SECONDS = 24 * 3600;

// A topic belongs to one audience, so no hidden write can stand in the way of one that is seen.
const SPOKEN_OF_RAY = ['wound', 'gait', 'walk'].map((topic) => `care://ray/${topic}`);
const INTERNAL_OF_RAY = ['risk', 'family'].map((topic) => `care-internal://ray/${topic}`);
const SPOKEN_OF_MIA = ['diet', 'wound'].map((topic) => `care://mia/${topic}`);
const INTERNAL_OF_MIA = ['care-internal://mia/money', 'care-internal://ann/risk'];
const OF_RAY = [...SPOKEN_OF_RAY, ...INTERNAL_OF_RAY];
// The last of them names a topic that is another audience's: it is refused once the other is there.
const OF_OTHERS = [...SPOKEN_OF_MIA, ...INTERNAL_OF_MIA, 'care-internal://mia/wound'];

const ANYONE: Person = { name: 'anyone', grant: null };
const CLINICIAN = person('clinician', EVERYTHING, ['*']);
const RAY_DEVICE = person('device of ray', [SCOPES.readUser], ['ray']);
const MIA_DEVICE = person('device of mia', [SCOPES.readUser], ['mia']);
const HALF_WRITER = person('half a writer', [SCOPES.readUser, SCOPES.write], ['ray']);

/** Every kind of narrow principal there is. */
export const VIEWS: readonly View[] = [
  {
    name: 'who may hear what is spoken to one subject',
    observers: [RAY_DEVICE, HALF_WRITER, person('blind writer', [SCOPES.write], ['ray']), ANYONE],
    outsiders: [CLINICIAN, MIA_DEVICE, twinOf(RAY_DEVICE), person('half a clinician', EVERYTHING, ['mia'])],
    seen: SPOKEN_OF_RAY,
    hidden: [...INTERNAL_OF_RAY, ...OF_OTHERS],
  },
  {
    name: 'who may read what is internal of one subject',
    observers: [
      person('planner', [SCOPES.readAssistant], ['ray']),
      person('planner who writes', [SCOPES.readAssistant, SCOPES.write], ['ray']),
    ],
    outsiders: [CLINICIAN, MIA_DEVICE, RAY_DEVICE],
    seen: INTERNAL_OF_RAY,
    hidden: [...SPOKEN_OF_RAY, ...OF_OTHERS],
  },
  {
    name: 'who may read and write everything of one subject',
    observers: [person('carer', READS, ['ray']), person('writer', EVERYTHING, ['ray'])],
    // A device of ray is counted for who writes about ray, as documented: `subscribers`.
    outsiders: [CLINICIAN, MIA_DEVICE],
    seen: OF_RAY,
    hidden: OF_OTHERS,
  },
  {
    name: 'who may hear what is spoken to every subject',
    observers: [person('ward speaker', [SCOPES.readUser], ['*'])],
    outsiders: [CLINICIAN, MIA_DEVICE, person('planner', [SCOPES.readAssistant], ['*'])],
    seen: [...SPOKEN_OF_RAY, ...SPOKEN_OF_MIA],
    hidden: [...INTERNAL_OF_RAY, ...INTERNAL_OF_MIA],
  },
];

/** URIs that name no fact in any world, well formed and not. */
export const NOWHERE: readonly string[] = [
  'care://ray/absent',
  'care-internal://ray/absent',
  'care://nobody/wound',
  'CARE://ray/wound',
  'care-internal://ray/%72isk',
  'care://ray/wound/v0',
  'ui://unsay/absent',
  'nonsense',
];

function person(sub: string, scopes: readonly string[], subjects: readonly string[]): Person {
  const grant = { sub, clientId: 'one', scopes, subjects, ttlSeconds: TTL_SECONDS };
  return { name: sub, grant };
}

/** The same rights under the same name, held by another client. */
function twinOf({ name, grant }: Person): Person {
  if (grant === null) throw new Error('nobody in particular has no twin');
  return { name: `${name}, other client`, grant: { ...grant, clientId: 'two' } };
}
