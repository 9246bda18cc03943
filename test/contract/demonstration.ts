/** The scopes that read everything. */
export const READ_BOTH = 'care.read.user care.read.assistant';

/** The facts of the demonstration plan that may be spoken, in the order of a list. */
export const SPEAKABLE: readonly string[] = [
  'care://ray/anticoagulant',
  'care://ray/exercises',
  'care://ray/gait',
  'care://ray/hip_precautions',
  'care://ray/weight_bearing',
  'care://ray/wound',
];

/** The facts of the demonstration plan that may only shape an answer. */
export const INTERNAL: readonly string[] = ['care-internal://ray/family', 'care-internal://ray/risk'];

/** All of them: a hyphen sorts before a colon. */
export const EVERYTHING: readonly string[] = [...INTERNAL, ...SPEAKABLE];

/** The card, which every list has after the facts. */
export const CARD = 'ui://unsay/device';

/** Words of the internal facts that stand nowhere else. */
export const INTERNAL_WORDS: readonly string[] = ['do not say', 'daughter', 'near falls', 'residential'];

/** How the record names the authors of the demonstration plan; no reader is ever told. */
export const AUTHOR_IDS: readonly string[] = [
  'demo-physiotherapist',
  'demo-surgeon',
  'demo-nurse',
  'demo-pharmacist',
  'demo-falls-team',
  'demo-social-worker',
];
