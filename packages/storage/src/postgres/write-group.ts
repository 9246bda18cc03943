import type { RecordKey } from '../envelope/record-key.ts';
import { StorageError } from '../storage-error.ts';
import type { PostgresDatabase } from './database.ts';
import { loadHeads, type WriteNeeds } from './load-heads.ts';
import { createWritePlan, type WritePlan } from './write-plan.ts';

/** Something to write that is decided against what is there. */
export interface Write<T> {
  /** What must be known for that. */
  readonly needs: WriteNeeds;
  /** Decides, and plans what follows from it. When it throws it has planned nothing, and it alone is rejected. */
  decide(plan: WritePlan): T;
}

/** Runs writes in the order of their arrival; those that wait at the same time share a transaction. */
export type WriteInGroup = <T>(write: Write<T>) => Promise<T>;

interface Waiting {
  readonly write: Write<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Decision =
  | { readonly ok: true; readonly result: unknown }
  | { readonly ok: false; readonly error: unknown };

// So that a flood of writers here never keeps those of other processes waiting for long.
const MOST_IN_A_GROUP = 256;

/**
 * Groups the writes of this process: a transaction for many, so that all wait for one flush of the disk, and the lock
 * that orders the writers of all processes is taken once.
 *
 * @param appended is called after a transaction that added to the journal.
 */
export function createWriteGroups(
  db: PostgresDatabase,
  storeKey: RecordKey,
  appended: () => void,
): WriteInGroup {
  const waiting: Waiting[] = [];
  let isRunning = false;

  async function drain(): Promise<void> {
    while (waiting.length > 0) await commitTogether(waiting.splice(0, MOST_IN_A_GROUP));
    isRunning = false;
  }

  // Halves of a group that the engine refuses are tried by themselves, until whatever it refuses is alone.
  async function commitTogether(group: readonly Waiting[]): Promise<void> {
    let decisions: readonly Decision[];
    try {
      decisions = await decideAndWrite(group);
    } catch (error) {
      if (group.length === 1 || error instanceof StorageError) for (const { reject } of group) reject(error);
      else {
        const middle = group.length >> 1;
        await commitTogether(group.slice(0, middle));
        await commitTogether(group.slice(middle));
      }
      return;
    }
    for (const [index, { resolve, reject }] of group.entries()) {
      const decision = decisions[index];
      if (decision?.ok) resolve(decision.result);
      else reject(decision?.error);
    }
  }

  async function decideAndWrite(group: readonly Waiting[]): Promise<readonly Decision[]> {
    const { decisions, hasAppended } = await db.transaction(async (within) => {
      const heads = await loadHeads(
        within,
        group.map(({ write }) => write.needs),
      );
      const plan = createWritePlan(db, heads, storeKey);
      const decisions = group.map(({ write }) => decided(write, plan));
      for (const command of plan.commands()) await within.run(command);
      return { decisions, hasAppended: plan.hasAppended() };
    });
    if (hasAppended) appended();
    return decisions;
  }

  return (write) =>
    new Promise((resolve, reject) => {
      waiting.push({ write, resolve: resolve as Waiting['resolve'], reject });
      if (isRunning) return;
      isRunning = true;
      // Not a microtask: what arrived over other connections in this turn is to be in the group.
      setImmediate(drain);
    });
}

function decided(write: Write<unknown>, plan: WritePlan): Decision {
  try {
    return { ok: true, result: write.decide(plan) };
  } catch (error) {
    return { ok: false, error };
  }
}
