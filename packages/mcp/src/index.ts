export type {
  CompletionArgument,
  ContentAnnotations,
  ContentBlock,
  ListOutcome,
  McpApplication,
  PromptArgument,
  PromptEntry,
  PromptMethods,
  PromptOutcome,
  PromptResult,
  ReadContent,
  ReadOutcome,
  ResourceEntry,
  ResourceMethods,
  ResourceTemplateEntry,
  ToolEntry,
  ToolOutcome,
} from './application.ts';
export type { Caller } from './caller.ts';
export { createEndpoint, type Endpoint, type EndpointLimits, type EndpointOptions } from './endpoint.ts';
export {
  createListenHub,
  type ListenCounters,
  type ListenHub,
  type ListenHubOptions,
} from './hub/listen-hub.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { Randomness } from './randomness.ts';
