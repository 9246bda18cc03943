import { wantsChangeLog } from '../hub/frame-style.ts';
import { LOG } from '../hub/listener.ts';
import { isLogLevel, LOG_LEVELS } from '../interaction.ts';
import { invalidParams, type Method } from '../methods/outcome.ts';
import type { Session, SessionStore } from './session-store.ts';

/** `logging/setLevel`: counts for the calls that follow it, and for what the session's stream is told from here on. */
export function settingLevel<P>(store: SessionStore<P>, session: Session<P>): Method<P> {
  return async (_principal, { level }) => {
    if (!isLogLevel(level)) return invalidParams(`level must be one of ${LOG_LEVELS.join(', ')}`);
    const before = session.logLevel;
    session.logLevel = level;
    session.dialogue?.setLevel(level);
    followLog(session);
    try {
      // The client may count on it from the answer on, whatever becomes of this process.
      await store.save(session);
    } catch (error) {
      session.logLevel = before;
      followLog(session);
      throw error;
    }
    return { kind: 'result', result: {} };
  };
}

/** Has the session's stream be told what the log says of changes, or not, as the client's level has it. */
export function followLog<P>({ stream, logLevel }: Pick<Session<P>, 'stream' | 'logLevel'>): void {
  if (wantsChangeLog(logLevel)) stream?.add(LOG);
  else stream?.remove(LOG);
}
