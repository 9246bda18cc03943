import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { JsonObject } from './json.ts';

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
  | { readonly kind: 'found'; readonly contents: readonly ReadContent[] }
  | { readonly kind: 'absent' };

/** The name and the value typed so far of the argument to complete. */
export interface CompletionArgument {
  readonly name: string;
  readonly value: string;
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

/** A tool. `inputSchema` and `outputSchema` are JSON Schema with an object at the root. */
export interface ToolEntry<P> {
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
  /** Extensions to declare, by identifier, such as `io.modelcontextprotocol/ui`. */
  readonly extensions?: NonNullable<ServerCapabilities['extensions']>;
}
