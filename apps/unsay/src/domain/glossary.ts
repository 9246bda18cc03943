import type { GlossaryEntry } from '@unsay/live-resources';

/**
 * What terms of the plan mean, for the ear. A closed list: an entry explains a word and never says what to
 * do, so that a retraction cannot add advice that no clinician wrote.
 */
export const GLOSSARY: readonly GlossaryEntry[] = [
  {
    term: 'partial weight-bearing',
    meaning: 'that only a part of your body weight goes through the leg, and your hands carry the rest',
  },
  {
    term: 'weight-bearing as tolerated',
    meaning: 'that the leg may carry as much of your weight as it can without more pain',
  },
  { term: 'non-weight-bearing', meaning: 'that no weight goes through the leg at all' },
  { term: 'heel slide', meaning: 'a movement in which, lying down, the heel slides towards you and back' },
  {
    term: 'heel slides',
    meaning: 'movements in which, lying down, the heel slides towards you and back',
  },
  { term: 'operated leg', meaning: 'the leg with the new hip joint' },
  { term: 'blood thinner', meaning: 'a medicine that makes blood slower to clot' },
];
