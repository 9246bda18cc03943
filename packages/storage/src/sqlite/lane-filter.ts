import { type LaneFilter, parseSubject } from '@unsay/live-resources';

/** SQL for the values of a filter; each is bound as one JSON array, so that a statement fits every set. */
export const AUDIENCES = '(SELECT value FROM json_each(:audiences))';
export const SUBJECTS = '(SELECT value FROM json_each(:subjects))';

/** The parameters of a filter. For all subjects, `subjects` is null and the statement must not ask for it. */
export function filterCells({ subjects, audiences }: LaneFilter): {
  subjects: string | null;
  audiences: string;
} {
  return {
    // Only a well-formed name can be a subject's; anything else stays out of SQL's own idea of equality.
    subjects:
      subjects === '*' ? null : JSON.stringify([...subjects].filter((name) => parseSubject(name) !== null)),
    audiences: JSON.stringify(audiences),
  };
}
