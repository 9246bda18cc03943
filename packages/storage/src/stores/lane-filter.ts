import type { LaneFilter } from '@unsay/live-resources';
import type { Tables } from './tables.ts';

/**
 * SQL for the rows of a filter, whose values are bound as one JSON array each, so that a statement fits every set.
 */
export function inLanes({ listed }: Pick<Tables, 'listed'>): string {
  return `(:every_subject = 1 OR subject IN ${listed('subjects')}) AND audience IN ${listed('audiences')}`;
}

/** The parameters of a filter. */
export function filterCells({ subjects, audiences }: LaneFilter) {
  // What no text can hold is no subject's name, and PostgreSQL would refuse the whole of it.
  const names = subjects === '*' ? [] : [...subjects].filter(isText);
  return {
    every_subject: subjects === '*' ? 1 : 0,
    subjects: JSON.stringify(names),
    audiences: JSON.stringify(audiences),
  };
}

function isText(name: string): boolean {
  return name.isWellFormed() && !name.includes('\0');
}
