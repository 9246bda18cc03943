export type { Citation, DerivedText, DerivedTextInput, TextId } from './derived-text.ts';
export type { FactsOf, LedgerStore } from './ledger-store.ts';
export { type Listener, type ListenerId, parseListenerId } from './listener.ts';
export {
  createListenerLedger,
  type ListenerLedger,
  type ListenerLedgerParts,
  type OwedRetraction,
  type ReportedSentence,
  type TellOutcome,
  type Utterance,
} from './listener-ledger.ts';
export { createMemoryLedgerStore } from './memory-ledger-store.ts';
export type { Debt } from './owed.ts';
export {
  type Receipt,
  type ReceiptState,
  type Sentence,
  type SentenceName,
  type SentenceState,
  stands,
} from './sentence.ts';
