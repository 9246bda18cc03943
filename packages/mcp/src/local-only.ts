import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  validateHostHeader,
  validateOriginHeader,
} from '@modelcontextprotocol/server';
import { sendRefusal } from './http-answers.ts';
import { ErrorCode } from './methods/outcome.ts';

/**
 * Answers a request that names another host than this machine, or comes from a page of another, with 403; false
 * when it may go on. For a server on loopback without authentication: a name that any site can point at this
 * machine (DNS rebinding) must not open it.
 */
export function refuseForeign(req: IncomingMessage, res: ServerResponse): boolean {
  const checks = [
    validateHostHeader(req.headers.host ?? null, localhostAllowedHostnames()),
    validateOriginHeader(req.headers.origin ?? null, localhostAllowedOrigins()),
  ];
  const failed = checks.find((check) => !check.ok);
  if (failed === undefined || failed.ok) return false;
  sendRefusal(res, null, { status: 403, error: { code: ErrorCode.serverError, message: failed.message } });
  return true;
}
