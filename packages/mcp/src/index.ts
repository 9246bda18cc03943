export type {
  CompletionArgument,
  ContentAnnotations,
  ContentBlock,
  ListOutcome,
  McpApplication,
  MissedChange,
  MissedChanges,
  PromptArgument,
  PromptEntry,
  PromptMethods,
  PromptOutcome,
  PromptResult,
  ReadContent,
  ReadOutcome,
  ResourceEntry,
  ResourceHistory,
  ResourceMethods,
  ResourceTemplateEntry,
  ToolDescription,
  ToolEntry,
  ToolOutcome,
} from './application.ts';
export { type Caller, ownerOf } from './caller.ts';
export { createEndpoint, type Endpoint, type EndpointLimits, type EndpointOptions } from './endpoint.ts';
export type {
  EventLimits,
  EventMethods,
  EventOccurrence,
  EventOutcome,
  EventPlace,
  EventStart,
  EventSubscription,
  EventType,
} from './event-methods.ts';
export type { Place } from './hub/frame-style.ts';
export {
  createListenHub,
  type ListenCounters,
  type ListenHub,
  type ListenHubOptions,
} from './hub/listen-hub.ts';
export type {
  Exchange,
  InputRequest,
  InputRequired,
  InteractiveMethods,
  InteractivePrompt,
  InteractiveTool,
  LogLevel,
} from './interaction.ts';
export type { JsonObject, JsonValue } from './json.ts';
export { refuseForeign } from './local-only.ts';
export type {
  ObservedAnswer,
  ObservedMessage,
  ObservedMethod,
  ObserveMessage,
} from './observed-message.ts';
export type { Randomness } from './randomness.ts';
export type { SessionRepository, StoredSession } from './session-repository.ts';
export { type ServedSkill, type Skill, skillOf } from './skills.ts';
export { type StaticResource, staticAt } from './static-resources.ts';
