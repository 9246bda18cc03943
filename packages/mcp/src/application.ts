import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { EventMethods } from './event-methods.ts';
import type { InteractiveMethods } from './interaction.ts';
import type { JsonObject } from './json.ts';
import type { Skill } from './skills.ts';

/** A hint on how content should be used. Nothing here is ever decided from it. */
export interface ContentAnnotations {
  readonly audience?: readonly ('user' | 'assistant')[];
  readonly priority?: number;
  readonly lastModified?: string;
}

/** One line of `resources/list`. `size` counts decoded bytes. */
export interface ResourceEntry {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly size?: number;
  readonly annotations?: ContentAnnotations;
  readonly _meta?: JsonObject;
}

/** One line of `resources/templates/list`; `uriTemplate` follows RFC 6570. */
export interface ResourceTemplateEntry {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
  readonly _meta?: JsonObject;
}

/** Text, or bytes in base64. */
export type ReadContent = {
  readonly uri: string;
  readonly mimeType?: string;
  readonly annotations?: ContentAnnotations;
  readonly _meta?: JsonObject;
} & ({ readonly text: string } | { readonly blob: string });

export type ListOutcome =
  | { readonly kind: 'page'; readonly resources: readonly ResourceEntry[]; readonly nextCursor?: string }
  | { readonly kind: 'bad_cursor' };

export type ReadOutcome =
  /** Contents that are the same object as before are taken to say the same as before. */
  { readonly kind: 'found'; readonly contents: readonly ReadContent[] } | { readonly kind: 'absent' };

/** The name and the value typed so far of the argument to complete. */
export interface CompletionArgument {
  readonly name: string;
  readonly value: string;
}

/** A change that a reader missed; `uri` is null for the list. */
export interface MissedChange {
  readonly uri: string | null;
  /** What the reader names it by when it comes back. */
  readonly id: string;
  /** What the log says of it; undefined for what is not logged. */
  readonly logged?: JsonObject;
}

export type MissedChanges =
  | {
      readonly kind: 'missed';
      /** In the order in which they happened. */
      readonly changes: readonly MissedChange[];
      /** The order of the last change that was considered: see `Place`. */
      readonly through: number;
    }
  /** More than the limit, or nobody can say. */
  | { readonly kind: 'unknown'; readonly through: number };

/** What happened, for readers that come back. Tokens are opaque, and one that is not the reader's is unknown. */
export interface ResourceHistory<P> {
  /** Names this moment for a reader; null when that cannot be done. */
  mark(principal: P): Promise<string | null>;
  /** What happened since a mark or the id of a change, of what the principal may hear of now. */
  since(
    principal: P,
    token: string,
    wanted: { readonly uris: ReadonlySet<string>; readonly list: boolean; readonly log: boolean },
    limit: number,
  ): Promise<MissedChanges>;
  /** Of these URIs, those that the principal may hear of now. */
  audible(principal: P, uris: readonly string[]): Promise<readonly string[]>;
}

/**
 * Every URI arrives exactly as the client sent it: not decoded, not lower-cased. The application parses it once
 * and answers `absent` (or false) for what it does not know, what it does not allow and what it cannot parse.
 */
export interface ResourceMethods<P> {
  list(principal: P, cursor: string | undefined): Promise<ListOutcome>;
  templates(principal: P): readonly ResourceTemplateEntry[];
  read(principal: P, uri: string): Promise<ReadOutcome>;
  /** May this principal be told, now, that this resource changed? False also when there is no such resource. */
  mayHear(principal: P, uri: string): Promise<boolean>;
  /** Without it, whoever loses a stream is told of nothing that happened meanwhile. */
  readonly history?: ResourceHistory<P>;
  /** Changes go to the log channel too, for clients that ask for it and do not subscribe. */
  readonly logged?: true;
  complete?(
    principal: P,
    template: string,
    argument: CompletionArgument,
    context: Readonly<Record<string, string>>,
  ): Promise<readonly string[]>;
}

export interface PromptArgument {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** One line of `prompts/list`. */
export interface PromptEntry {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly PromptArgument[];
  readonly _meta?: JsonObject;
}

export type ContentBlock =
  | { readonly type: 'text'; readonly text: string; readonly annotations?: ContentAnnotations }
  | { readonly type: 'image' | 'audio'; readonly data: string; readonly mimeType: string }
  | ({ readonly type: 'resource_link' } & ResourceEntry)
  | { readonly type: 'resource'; readonly resource: ReadContent };

export interface PromptResult {
  readonly _meta?: JsonObject;
  readonly description?: string;
  readonly messages: readonly { readonly role: 'user' | 'assistant'; readonly content: ContentBlock }[];
}

export type PromptOutcome =
  | { readonly kind: 'found'; readonly result: PromptResult }
  | { readonly kind: 'absent' }
  | { readonly kind: 'bad_argument'; readonly message: string };

export interface PromptMethods<P> {
  list(principal: P): readonly PromptEntry[];
  get(principal: P, name: string, args: Readonly<Record<string, string>>): Promise<PromptOutcome>;
  complete?(
    principal: P,
    name: string,
    argument: CompletionArgument,
    context: Readonly<Record<string, string>>,
  ): Promise<readonly string[]>;
}

/**
 * `refused` is a result that the model reads (`isError`); `bad_argument` is a protocol error, -32602. A refusal
 * has no structured content, because a client with an output schema would show that instead of the words.
 */
export type ToolOutcome =
  | {
      readonly kind: 'ok';
      readonly content: readonly ContentBlock[];
      readonly structuredContent?: JsonObject;
      readonly _meta?: JsonObject;
    }
  | { readonly kind: 'refused'; readonly content: readonly ContentBlock[] }
  | { readonly kind: 'bad_argument'; readonly message: string };

/**
 * One line of `tools/list`. `inputSchema` and `outputSchema` are JSON Schema with an object at the root. A property
 * with `x-mcp-header` is mirrored in a header of the call since 2026-07-28; a call where the two differ is refused.
 */
export interface ToolDescription {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  readonly outputSchema?: JsonObject & { readonly type: 'object' };
  readonly annotations?: {
    readonly title?: string;
    readonly readOnlyHint?: boolean;
    readonly destructiveHint?: boolean;
    readonly idempotentHint?: boolean;
    readonly openWorldHint?: boolean;
  };
  readonly _meta?: JsonObject;
}

/** A tool that answers once, without a word before. */
export interface ToolEntry<P> extends ToolDescription {
  /** `args` already agrees with `inputSchema`. */
  call(principal: P, args: JsonObject): Promise<ToolOutcome>;
}

/**
 * What an MCP server says, free of how a revision of the protocol says it. Whatever is left out is not declared
 * as a capability. An exception thrown by any of these is a fault: the client reads "Internal error" and nothing
 * else.
 */
export interface McpApplication<P> {
  readonly serverInfo: { readonly name: string; readonly title?: string; readonly version: string };
  readonly instructions: string;
  readonly resources?: ResourceMethods<P>;
  readonly prompts?: PromptMethods<P>;
  readonly tools?: readonly ToolEntry<P>[];
  /** Tools and prompts that speak to the client before they answer. Most servers need none. */
  readonly interactive?: InteractiveMethods<P>;
  /** What happens, for clients of the Events extension; it is declared with the others. */
  readonly events?: EventMethods<P>;
  /** What the Skills extension lists, and declares with the others; `resources` has to give their files. */
  readonly skills?: readonly Skill[];
  /** Extensions to declare, by identifier, such as `io.modelcontextprotocol/ui`. */
  readonly extensions?: NonNullable<ServerCapabilities['extensions']>;
}
