import type { JsonObject } from './json.ts';

/** A kind of thing that happens, as `events/list` describes it. Both schemas are JSON Schema of an object. */
export interface EventType {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  /** What a subscription may ask for. */
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  /** What the `data` of each occurrence agrees with. */
  readonly payloadSchema: JsonObject & { readonly type: 'object' };
  readonly _meta?: JsonObject;
}

/** How far one reader has been told. */
export interface EventPlace {
  /** Opaque, and good for this reader and this subscription only: what a client comes back with. */
  readonly cursor: string;
  /** Grows from change to change. It counts what a reader may not see, so it is compared here and never sent. */
  readonly order: number;
}

/** Something that happened. */
export interface EventOccurrence {
  /** The same for everyone and on every way by which the occurrence is told of. */
  readonly eventId: string;
  /** When it happened, in ISO 8601. */
  readonly timestamp: string;
  readonly data: JsonObject;
  /** Where the reader stands once it is told of this one. */
  readonly place: EventPlace;
}

/** What a reader asks to be told of. */
export interface EventSubscription {
  /** The name of one of the types. */
  readonly name: string;
  /** Agrees with the type's `inputSchema`. What is forbidden or absent in it simply never happens. */
  readonly args: JsonObject;
}

/** From where a reader goes on: null is now, a string is the cursor that a client brought back. */
export type EventStart = EventPlace | string | null;

export interface EventLimits {
  /** Occurrences of one batch. */
  readonly most: number;
  /** With more than so many since `from` nobody says what they were: the batch is cut off. */
  readonly replay: number;
  /** Nothing older than so many milliseconds is told; null tells of everything. */
  readonly maxAgeMs: number | null;
}

/** What happened since a place, of what the principal may hear of now. */
export type EventOutcome =
  | {
      readonly kind: 'batch';
      /** In the order in which they happened, each once. */
      readonly events: readonly EventOccurrence[];
      /** True when something may have happened after the start that is not told of. */
      readonly truncated: boolean;
      readonly hasMore: boolean;
      /** Just before the first of these events. */
      readonly from: string;
      /** After the last of these events: nothing up to it is told again. */
      readonly cursor: string;
      /** The same place, from which it is cheaper to go on within this process. */
      readonly end: EventPlace;
    }
  /** The cursor was altered, is another's or was never issued. */
  | { readonly kind: 'bad_cursor' }
  /** The subscription cannot be followed as it is; the message says what to ask for instead. */
  | { readonly kind: 'bad_argument'; readonly message: string };

/**
 * What happens, for clients that ask for it by the Events extension (`io.modelcontextprotocol/events`, SEP-3415).
 * There is one way to be told: each reader reads on from its own place, whether it polls or holds a stream, so each
 * occurrence is authorized when it is read, and a reader that is slow or away loses nothing.
 */
export interface EventMethods<P> {
  readonly types: readonly EventType[];
  read(
    principal: P,
    subscription: EventSubscription,
    from: EventStart,
    limits: EventLimits,
  ): Promise<EventOutcome>;
}
