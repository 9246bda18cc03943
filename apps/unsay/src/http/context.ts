import type { KeyObject } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Pairing } from '@unsay/auth/authorization-server';
import type { TokenVerifier } from '@unsay/auth/resource-server';
import type { JournalEntry, LiveResources, Principal } from '@unsay/live-resources';
import type { Endpoint, ListenHub } from '@unsay/mcp';
import type { AuditTrail } from '../audit/audit-trail.ts';
import type { Limits } from '../limits/limits.ts';
import type { Readiness } from '../observation/readiness.ts';
import type { Listeners } from '../sign-in/listeners.ts';
import type { SignIn } from '../sign-in/sign-in.ts';
import type { PageFiles } from './pages.ts';

/** What the routes work with. Built once, by the entry point. */
export interface HttpContext {
  readonly live: LiveResources;
  readonly hub: ListenHub<Principal>;
  readonly endpoint: Endpoint<Principal>;
  readonly verifier: TokenVerifier;
  readonly pairing: Pairing;
  /** How people sign in here; null where an outside issuer is configured. */
  readonly signIn: SignIn | null;
  readonly listeners: Listeners;
  readonly trail: AuditTrail;
  readonly limits: Limits;
  /** The key of the system writer, and who that is. */
  readonly systemKey: KeyObject;
  readonly system: Principal;
  /** What a caller without a token may see of `/verify`. */
  readonly anonymous: Principal;
  /** The public address, without a trailing slash. */
  readonly publicUrl: string;
  /** The names that a Host may be. */
  readonly hostNames: ReadonlySet<string>;
  readonly allowedOrigins: ReadonlySet<string>;
  readonly bodyLimit: number;
  readonly documents: Readonly<Record<string, unknown>>;
  readonly pages: PageFiles;
  /** Announces what was just written, and whatever was written before it. */
  readonly deliver: (entry: JournalEntry) => Promise<void>;
  readonly onFault: (error: unknown) => void;
  readonly isReady: Readiness;
  /** Begins a request for whoever counts; what it gives is called when the request is answered. */
  readonly observe: () => (answered: AnsweredRequest) => void;
}

/** A request that was answered, or whose stream is open. */
export interface AnsweredRequest {
  /** A path of the table of routes, `file` for a page or a document, `none` for what led nowhere. */
  readonly route: string;
  /** The method, as it was sent. */
  readonly method: string | undefined;
  readonly status: number;
}

/** One route. */
export type Route = (
  context: HttpContext,
  req: IncomingMessage,
  res: ServerResponse,
  url: URL,
) => Promise<void>;
