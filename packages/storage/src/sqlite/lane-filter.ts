import type { LaneFilter } from '@unsay/live-resources';

/** SQL for the values of a filter; each is bound as one JSON array, so that a statement fits every set. */
export const AUDIENCES = '(SELECT value FROM json_each(:audiences))';
export const SUBJECTS = '(SELECT value FROM json_each(:subjects))';

/** The parameters of a filter. For all subjects, `subjects` is null. */
export function filterCells({ subjects, audiences }: LaneFilter): {
  subjects: string | null;
  audiences: string;
} {
  return {
    subjects: subjects === '*' ? null : JSON.stringify([...subjects]),
    audiences: JSON.stringify(audiences),
  };
}
