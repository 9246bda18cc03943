import { type Instant, instant } from '@unsay/live-resources';

/** A clip that rides with a fact of the plan, by the name of its file. */
export type ClipName = 'exercises' | 'gait';

/** One version of the demonstration plan, in the order in which it was written. */
export interface PlanEntry {
  readonly uri: string;
  readonly value: string;
  readonly authorId: string;
  readonly authorLabel: string;
  readonly writtenAt: number;
  readonly staleAfter: Instant | null;
  readonly clip?: ClipName;
}

/** The subject of the demonstration plan. */
export const DEMONSTRATION_SUBJECT = 'ray';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const PHYSIOTHERAPIST = { authorId: 'demo-physiotherapist', authorLabel: 'Nadia Osei, physiotherapist' };
const SURGEON = { authorId: 'demo-surgeon', authorLabel: 'the surgical team' };
const NURSE = { authorId: 'demo-nurse', authorLabel: 'Tom Varga, district nurse' };
const PHARMACIST = { authorId: 'demo-pharmacist', authorLabel: 'the ward pharmacist' };
const THERAPIST = { authorId: 'demo-falls-team', authorLabel: 'the falls team' };
const SOCIAL_WORKER = { authorId: 'demo-social-worker', authorLabel: 'the discharge coordinator' };

/**
 * The plan of Ray, 68, at home six days after a replacement of his left hip. Ray and everyone around him
 * are fiction, and nothing here is advice for anyone.
 *
 * Times run back from `now`, so the plan is as old on every day it is seeded; the stop date that the
 * anticoagulant's own sentence names is the date four days before.
 */
export function demonstrationPlan(now: number): readonly PlanEntry[] {
  const stop = now - 4 * DAY;
  const plan: readonly PlanEntry[] = [
    {
      uri: 'care://ray/anticoagulant',
      value:
        'Inject 40 milligrams of enoxaparin, your blood thinner, under the skin of your belly once every evening. ' +
        `The last injection is on ${dateInWords(stop)}.`,
      ...PHARMACIST,
      writtenAt: now - 6 * DAY,
      staleAfter: instant(stop),
    },
    {
      uri: 'care://ray/hip_precautions',
      value:
        'Do not bend your left hip past 90 degrees, do not cross your legs, and do not turn your left foot inwards. ' +
        'Sit on the raised chair, never on the low sofa.',
      ...SURGEON,
      writtenAt: now - 5 * DAY - 6 * HOUR,
      staleAfter: null,
    },
    {
      uri: 'care://ray/weight_bearing',
      value:
        'Partial weight-bearing: put no more than 20 kilograms on your left leg, and use both crutches for every step.',
      ...SURGEON,
      writtenAt: now - 5 * DAY,
      staleAfter: null,
    },
    {
      uri: 'care-internal://ray/risk',
      value:
        'Internal, do not say: fall risk high. Two near falls on the stairs since discharge, walks to the bathroom ' +
        'at night without crutches and plays down pain when asked. Prefer short answers about walking; bring up ' +
        'crutches and lighting early; send any report of a fall or new groin pain to the ward line.',
      ...THERAPIST,
      writtenAt: now - 4 * DAY + 3 * HOUR,
      staleAfter: null,
    },
    {
      uri: 'care-internal://ray/family',
      value:
        'Internal, do not say: his daughter thinks he came home too soon and has asked for a place in residential ' +
        'rehabilitation; Ray has not been told. Do not raise it, and take no side if he does.',
      ...SOCIAL_WORKER,
      writtenAt: now - 3 * DAY - 2 * HOUR,
      staleAfter: null,
    },
    {
      uri: 'care://ray/wound',
      value:
        'Keep the dressing on your left hip dry and leave it in place until the nurse changes it. ' +
        'You may shower for up to 5 minutes with the dressing on. Do not take a bath.',
      ...NURSE,
      writtenAt: now - 3 * DAY,
      staleAfter: instant(now + 4 * DAY),
    },
    {
      uri: 'care://ray/exercises',
      value:
        'Do 10 slow heel slides with your left leg, 3 times a day, lying on your bed. ' +
        'Take about 6 seconds for each one, and stop if the pain goes above 5 out of 10.',
      ...PHYSIOTHERAPIST,
      writtenAt: now - 2 * DAY - 4 * HOUR,
      staleAfter: instant(now + 5 * DAY),
      clip: 'exercises',
    },
    {
      uri: 'care://ray/weight_bearing',
      value:
        'Partial weight-bearing: put no more than 30 kilograms on your left leg, and use both crutches for every step.',
      ...PHYSIOTHERAPIST,
      writtenAt: now - 2 * DAY,
      staleAfter: instant(now + 5 * DAY),
    },
    {
      uri: 'care://ray/gait',
      value:
        'Walk 5 minutes indoors, 4 times a day: both crutches first, then your left foot, then your right foot. ' +
        'Try to take equally long over each step.',
      ...PHYSIOTHERAPIST,
      writtenAt: now - DAY - 20 * HOUR,
      staleAfter: instant(now + 5 * DAY),
      clip: 'gait',
    },
  ];
  return plan;
}

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

// In UTC, and not through the machine's locale: the seed is the same on every machine.
function dateInWords(epochMs: number): string {
  const date = new Date(epochMs);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
