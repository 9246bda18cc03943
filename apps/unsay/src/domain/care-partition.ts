import { definePartition, type Principal } from '@unsay/live-resources';

/** The scopes a token can carry. */
export const SCOPES = {
  readUser: 'care.read.user',
  readAssistant: 'care.read.assistant',
  write: 'care.write',
  speak: 'care.speak',
  audit: 'care.audit',
} as const;

/** Every scope, in the order in which metadata lists them. */
export const ALL_SCOPES: readonly string[] = Object.values(SCOPES);

/**
 * What may be spoken to a patient, and what may only shape an answer. The only place that puts these
 * schemes, audiences and scopes side by side.
 */
export const carePartition = definePartition({
  audiences: [
    { audience: 'user', scheme: 'care', readScope: SCOPES.readUser, speakable: true },
    { audience: 'assistant', scheme: 'care-internal', readScope: SCOPES.readAssistant, speakable: false },
  ],
  writeScope: SCOPES.write,
});

/** Whether a principal is a speaking device: it reads what may be spoken and nothing else. */
export function speaksOnly(principal: Principal): boolean {
  return principal.scopes.has(SCOPES.readUser) && !principal.scopes.has(SCOPES.readAssistant);
}
