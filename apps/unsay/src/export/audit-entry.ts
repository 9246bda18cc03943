import { type AuditEntry, linkAudit } from '@unsay/live-resources';
import type { Attempt } from '@unsay/verifier';

/** An attempt of an export as an entry of the audit log. The casts claim what {@link mayBeRecorded} is to say. */
export function entryOf({ at, actor, uri, outcome, reason, via, count }: Attempt): AuditEntry {
  return {
    at: at as AuditEntry['at'],
    actor,
    uri,
    outcome: outcome as AuditEntry['outcome'],
    reason: reason as AuditEntry['reason'],
    via: via as AuditEntry['via'],
    count,
  };
}

/** Whether a log of ours would have such an entry: one that would not could never be linked in it. */
export function mayBeRecorded(attempt: Attempt): boolean {
  try {
    linkAudit(entryOf(attempt), null);
    return true;
  } catch {
    return false;
  }
}
