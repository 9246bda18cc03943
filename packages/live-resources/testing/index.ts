export { ledgerContract, listener, type OpenLedger, sentenceOf, textOf } from './ledger-contract.ts';
export { publicationOf, writer } from './live-scene.ts';
export type { Open, OpenStore } from './open-store.ts';
export {
  acceptance,
  appendOf,
  attempt,
  later,
  nonceOf,
  PARTITION,
  type SampleFact,
  START,
  sampleFact,
  sampleLane,
  type VersionParts,
  versionAfter,
  write,
} from './sample-facts.ts';
export { storeContract } from './store-contract.ts';
export { createVirtualClock, type VirtualClock } from './virtual-clock.ts';
export { EVERY_LANE, everythingIn, faultsIn } from './wholeness.ts';
