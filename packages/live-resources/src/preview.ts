import { type DraftRefusal, refusalOver, refusalUnseen } from './admission.ts';
import type { Draft } from './draft.ts';
import { DEFAULT_BLOB_LIMIT } from './draft-blob.ts';
import { nextVersion } from './next-version.ts';
import type { Principal } from './principal.ts';
import type { Publisher } from './publish.ts';
import type { FactVersion, VersionHash } from './version.ts';
import { asTakenBack } from './withdrawal.ts';

/** What publishing a draft now would make, or the refusal that it would meet. */
export type PreviewOutcome =
  | {
      readonly kind: 'previewed';
      readonly version: FactVersion;
      /** The version whose words it would take back; null where there is none. */
      readonly superseded: FactVersion | null;
    }
  | DraftRefusal;

/**
 * What there would be if this draft were published at this moment. It is refused where publication is, in
 * the same order, and leaves nothing behind.
 */
export async function previewDraft(
  on: Publisher,
  principal: Principal,
  draft: Draft,
  ifMatch: VersionHash | null,
): Promise<PreviewOutcome> {
  const { partition, store, blobLimit = DEFAULT_BLOB_LIMIT } = on;
  const { target, rule } = draft;
  const unseen = refusalUnseen(partition, blobLimit, principal, draft);
  if (unseen !== null) return unseen;
  const heads = await store.heads(target, { subject: target.subject, audience: rule.audience });
  const refusal = refusalOver(heads.fact, draft, ifMatch);
  if (refusal !== null) return refusal;
  const version = nextVersion(on, draft, heads);
  return { kind: 'previewed', version, superseded: heads.fact && asTakenBack(heads.fact, version) };
}
