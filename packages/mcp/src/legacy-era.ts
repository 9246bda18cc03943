import type { IncomingMessage, ServerResponse } from 'node:http';
import type { McpApplication } from './application.ts';
import type { Caller } from './caller.ts';
import type { ListenHub } from './hub/listen-hub.ts';
import type { MethodTable } from './methods/method-table.ts';
import type { CodecFor } from './open-exchange.ts';
import type { Randomness } from './randomness.ts';
import type { SessionRepository } from './session-repository.ts';

/** The revisions before 2026-07-28, as the endpoint sees them. */
export interface LegacyEra<P> {
  /** Answers a POST; `message` is its parsed body. */
  post(req: IncomingMessage, res: ServerResponse, message: unknown, caller: Caller<P>): Promise<void>;
  /** Answers every other HTTP method. */
  other(req: IncomingMessage, res: ServerResponse, caller: Caller<P>): Promise<void>;
  /** Open sessions. */
  readonly sessions: number;
}

export interface SessionLimits {
  /** Sessions in total. */
  readonly sessions: number;
  readonly sessionsPerOwner: number;
  readonly sessionIdleMs: number;
}

export interface LegacyOptions<P> {
  readonly application: McpApplication<P>;
  readonly methods: MethodTable<P>;
  readonly hub: ListenHub<P>;
  readonly limits: SessionLimits & { readonly urisPerStream: number; readonly replay: number };
  readonly repository: SessionRepository;
  /** False has the SDK answer every request. */
  readonly direct: boolean;
  readonly codecFor: CodecFor;
  readonly randomness: Randomness;
  readonly monotonicNow: () => number;
  readonly onFault: (error: unknown) => void;
}
