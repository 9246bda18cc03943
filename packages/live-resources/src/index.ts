export type { DraftRefusal } from './admission.ts';
export { type AuditEntry, type AuditRow, type AuditWord, linkAudit, replayAudit } from './audit.ts';
export { type ChainHead, type ChainVerdict, replayChain } from './chain.ts';
export type { ChangesOutcome, ChangesQuery, Correction } from './changes.ts';
export { type Clock, epochMs, type Instant, instant, parseInstant } from './clock.ts';
export { type CursorCodec, type CursorHolder, createCursorCodec } from './cursor.ts';
export { type Announcement, announcementOf, mayHear } from './delivery.ts';
export { type Draft, type DraftFault, type DraftInput, parseDraft } from './draft.ts';
export { type BlobInput, DEFAULT_BLOB_LIMIT } from './draft-blob.ts';
export {
  type FactUri,
  type ParsedFactUri,
  parseFactUri,
  parseSubject,
  type Subject,
  type Topic,
  versionUri,
} from './fact-uri.ts';
export { createHistory, type History, type Missed } from './history.ts';
export { BEGINNING, isNamed, type JournalEntry, type NamedEntry, type Position } from './journal.ts';
export { followJournal, type JournalFollower } from './journal-follower.ts';
export { type LaneGap, laneGaps } from './lane-gaps.ts';
export { createLiveResources, type LiveResources, type LiveResourcesParts } from './live-resources.ts';
export { createMemoryStore } from './memory-store.ts';
export type { VersionSources } from './next-version.ts';
export {
  type Audience,
  type AudienceRule,
  definePartition,
  type FactKey,
  type Lane,
  type Partition,
  type PartitionDefinition,
  ruleOfAudience,
  ruleOfScheme,
} from './partition.ts';
export type { PreviewOutcome } from './preview.ts';
export {
  holdsSubject,
  narrow,
  type Principal,
  readableAudiences,
  readsAnything,
} from './principal.ts';
export { type Publication, type Publisher, type PublishOutcome, publish } from './publish.ts';
export { type Randomness, seededRandomness } from './randomness.ts';
export type { ReadOutcome } from './reading.ts';
export { type GlossaryEntry, renderRetraction, renderSpoken, renderText } from './retraction.ts';
export { type Age, ageInWords, ageOf } from './staleness.ts';
export type {
  AnsweredRequest,
  Append,
  AppendOutcome,
  ChainPage,
  CorrectionQuery,
  FactName,
  FactPage,
  FactStore,
  Heads,
  LaneFilter,
  LaneHead,
  Nonce,
  RequestKey,
  Seal,
  StoredChain,
  StoredCorrection,
} from './store.ts';
export type { VerificationQuery, VerifiedPart, VerifiedVersion } from './verification.ts';
export {
  type Blob,
  type FactVersion,
  type Kind,
  parseVersionHash,
  type Salts,
  type VersionContent,
  type VersionHash,
} from './version.ts';
