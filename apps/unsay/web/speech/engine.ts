/** What an engine tells whoever asked it to speak. Nothing is told after `stop`, nor after an end. */
export interface SpeechHooks {
  /** The word with this index has begun. Never goes back. */
  word(index: number): void;
  ended(): void;
  /** It cannot be said, or not to its end. */
  failed(): void;
}

/** A sentence on its way. */
export interface Saying {
  /** Silence, at once. */
  stop(): void;
}

/** What says sentences: a voice, or captions in silence. */
export interface SpeechEngine {
  readonly kind: 'voice' | 'silent';
  /** Calls no hook before it has returned. */
  say(text: string, hooks: SpeechHooks): Saying;
}
