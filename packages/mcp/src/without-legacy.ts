import { idOf, sendRefusal } from './http-answers.ts';
import type { LegacyEra, LegacyOptions } from './legacy-era.ts';
import { ErrorCode } from './methods/outcome.ts';

const SERVED = ['2026-07-28'];

/**
 * What stands in for the folder `legacy/` once that is deleted: the endpoint imports `legacyEra` from here instead.
 * A client that opens with `initialize` is told which revision to speak.
 */
export function legacyEra<P>(_options: LegacyOptions<P>): LegacyEra<P> {
  return {
    async post(_req, res, message) {
      const text = `Unsupported protocol version: this server speaks ${SERVED.join(', ')}`;
      const error = { code: ErrorCode.unsupportedVersion, message: text, data: { supported: SERVED } };
      sendRefusal(res, idOf(message), { status: 400, error });
    },
    async other(_req, res) {
      const error = { code: ErrorCode.serverError, message: 'Method not allowed: send POST' };
      sendRefusal(res, null, { status: 405, error, headers: { allow: 'POST' } });
    },
    sessions: 0,
  };
}
